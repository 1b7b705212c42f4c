import { isArray, isObject, own, type JsonObject } from '../json.js';
import type { KubeObject } from '../object.js';
import { Client, targetOf, unlessCode } from './client.js';
import type { ControllerOptions } from './options.js';
import { Worklist } from './workqueue.js';

/** What belongs into the Secret of an account. */
export interface AccountSecrets {
  /** Certificates of the server's authority, PEM. */
  readonly authority: string;
  /** A token of the account that is good while this Secret holds it. */
  readonly issue: (account: KubeObject, secret: string) => string;
}

const TYPE = 'kubernetes.io/service-account-token';
const NAME = 'kubernetes.io/service-account.name';
const UID = 'kubernetes.io/service-account.uid';

/**
 * Fills Secrets of type `kubernetes.io/service-account-token` with certificates, namespace and token, and deletes those whose
 * ServiceAccount does not exist, as the token controller of a cluster does.
 */
export function startAccountSecrets(options: ControllerOptions, parts: AccountSecrets): { end(): Promise<void> } {
  const { reader, clock, onError } = options;
  const client = new Client(options.verbs, 'tokens-controller');
  const worklist = new Worklist({
    clock,
    parallel: 4,
    reconcile: (key) => look(options, parts, { client, key }),
    onError,
  });
  const secrets = reader.watch('secrets', (secret, type) => {
    if (accountOf(secret) === undefined) return;
    if (type === 'put') worklist.add(keyOf(secret));
    else
      void unlessCode([404, 409], forget(options, client, secret)).catch((error: unknown) =>
        onError(keyOf(secret), error),
      );
  });
  const accounts = reader.watch('serviceaccounts', ({ metadata: { namespace = '', name = '' } }, type) => {
    if (type === 'put') return;
    for (const secret of reader.list('secrets', namespace)) if (accountOf(secret) === name) worklist.add(keyOf(secret));
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
function accountOf(secret: KubeObject): string | undefined {
  return secret['type'] === TYPE ? secret.metadata.annotations?.[NAME] : undefined;
}

interface Work {
  readonly client: Client;
  readonly key: string;
}

async function look(
  { reader, registry }: ControllerOptions,
  parts: AccountSecrets,
  { client, key }: Work,
): Promise<void> {
  const [namespace = '', name = ''] = key.split('/');
  const secret = reader.get('secrets', namespace, name);
  const owner = secret === undefined ? undefined : accountOf(secret);
  if (secret === undefined || owner === undefined || secret.metadata.deletionTimestamp !== undefined) return;
  const target = targetOf(registry, { group: '', plural: 'secrets', namespace, name });
  const account = reader.get('serviceaccounts', namespace, owner);
  const uid = secret.metadata.annotations?.[UID] ?? '';
  if (account === undefined || (uid !== '' && uid !== account.metadata.uid)) {
    await unlessCode([404, 409], client.delete(target, secret, 'Background'));
    return;
  }
  const filled = fill(secret, account, parts);
  if (filled !== secret) await unlessCode([404, 409], client.update(target, filled));
}

/** The Secret with what it lacks; the same when it lacks nothing. */
function fill(secret: KubeObject, account: KubeObject, { authority, issue }: AccountSecrets): KubeObject {
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
async function forget({ reader, registry }: ControllerOptions, client: Client, secret: KubeObject): Promise<void> {
  const { namespace = '', name = '' } = secret.metadata;
  const account = reader.get('serviceaccounts', namespace, accountOf(secret) ?? '');
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
