import { isArray, isObject, own, type JsonObject } from '../json.js';
import type { KubeObject } from '../object.js';
import { Client, targetOf, ignoreCodes } from './client.js';
import type { ControllerOptions } from './options.js';
import { WorkQueue } from './workqueue.js';

/** What belongs into the Secret of an account. */
export interface TokenControllerOptions {
  /** Certificates of the server's authority, PEM. */
  readonly caBundle: string;
  /** A token of the account that is good while this Secret holds it. */
  readonly issueToken: (account: KubeObject, secret: string) => string;
}

const TYPE = 'kubernetes.io/service-account-token';
const NAME = 'kubernetes.io/service-account.name';
const UID = 'kubernetes.io/service-account.uid';

/**
 * Fills Secrets of type `kubernetes.io/service-account-token` with certificates, namespace and token, and deletes those whose
 * ServiceAccount does not exist, as the token controller of a cluster does.
 */
export function startTokenController(
  options: ControllerOptions,
  parts: TokenControllerOptions,
): { end(): Promise<void> } {
  const { reader, clock, onError } = options;
  const client = new Client(options.verbs, 'tokens-controller');
  const worklist = new WorkQueue({
    clock,
    workers: 4,
    reconcile: (key) => reconcile(options, parts, { client, key }),
    onError,
  });
  const secrets = reader.watch('secrets', (secret, type) => {
    if (serviceAccountOf(secret) === undefined) return;
    if (type === 'put') worklist.add(keyOf(secret));
    else
      void ignoreCodes([404, 409], removeReference(options, client, secret)).catch((error: unknown) =>
        onError(keyOf(secret), error),
      );
  });
  const accounts = reader.watch('serviceaccounts', ({ metadata: { namespace = '', name = '' } }, type) => {
    if (type === 'put') return;
    for (const secret of reader.list('secrets', namespace))
      if (serviceAccountOf(secret) === name) worklist.add(keyOf(secret));
  });
  return {
    end() {
      secrets.end();
      accounts.end();
      return worklist.end();
    },
  };
}

function keyOf({ metadata: { namespace = '', name = '' } }: KubeObject): string {
  return `${namespace}/${name}`;
}

/** Name of the account whose token a Secret is to hold; undefined for other Secrets. */
function serviceAccountOf(secret: KubeObject): string | undefined {
  return secret['type'] === TYPE ? secret.metadata.annotations?.[NAME] : undefined;
}

interface Work {
  readonly client: Client;
  readonly key: string;
}

async function reconcile(
  { reader, registry }: ControllerOptions,
  parts: TokenControllerOptions,
  { client, key }: Work,
): Promise<void> {
  const [namespace = '', name = ''] = key.split('/');
  const secret = reader.get('secrets', namespace, name);
  const owner = secret === undefined ? undefined : serviceAccountOf(secret);
  if (secret === undefined || owner === undefined || secret.metadata.deletionTimestamp !== undefined) return;
  const target = targetOf(registry, { group: '', plural: 'secrets', namespace, name });
  const account = reader.get('serviceaccounts', namespace, owner);
  const uid = secret.metadata.annotations?.[UID] ?? '';
  if (account === undefined || (uid !== '' && uid !== account.metadata.uid)) {
    await ignoreCodes([404, 409], client.delete(target, secret, 'Background'));
    return;
  }
  const filled = withTokenData(secret, account, parts);
  if (filled !== secret) await ignoreCodes([404, 409], client.update(target, filled));
}

/** The Secret with what it lacks; the same when it lacks nothing. */
function withTokenData(
  secret: KubeObject,
  account: KubeObject,
  { caBundle: authority, issueToken: issue }: TokenControllerOptions,
): KubeObject {
  const { namespace = '', name = '', uid = '' } = account.metadata;
  const data: JsonObject = isObject(secret['data']) ? secret['data'] : {};
  const bundle = base64(authority);
  const isFull =
    own(data, 'ca.crt') === bundle && (own(data, 'namespace') ?? '') !== '' && (own(data, 'token') ?? '') !== '';
  if (isFull) return secret;
  const given = {
    'ca.crt': bundle,
    namespace: own(data, 'namespace') || base64(namespace),
    token: own(data, 'token') || base64(issue(account, secret.metadata.name ?? '')),
  };
  const metadata = { ...secret.metadata, annotations: { ...secret.metadata.annotations, [NAME]: name, [UID]: uid } };
  return { ...secret, metadata, data: { ...data, ...given } };
}

/** Takes the Secret that is gone out of its account's list. */
async function removeReference(
  { reader, registry }: ControllerOptions,
  client: Client,
  secret: KubeObject,
): Promise<void> {
  const { namespace = '', name = '' } = secret.metadata;
  const account = reader.get('serviceaccounts', namespace, serviceAccountOf(secret) ?? '');
  const listed = account?.['secrets'];
  if (account === undefined || !isArray(listed)) return;
  const kept = listed.filter((one) => !isObject(one) || one['name'] !== name);
  if (kept.length === listed.length) return;
  const target = targetOf(registry, {
    group: '',
    plural: 'serviceaccounts',
    namespace,
    name: account.metadata.name ?? '',
  });
  await client.update(target, { ...account, secrets: kept });
}

function base64(text: string): string {
  return Buffer.from(text, 'utf8').toString('base64');
}
