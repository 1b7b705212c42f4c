import { isArray, isObject, own, type JsonObject } from '@multicluster-engine/values/json';
import type { KubeObject } from '@multicluster-engine/values/object';
import { Client, targetOf, ignoreCodes } from './client.js';
import type { ControllerOptions } from './options.js';
import { WorkQueue } from './workqueue.js';

export interface TokenControllerOptions {
  /** CA certificates of the server, PEM. */
  readonly caBundle: string;
  /** Issues a token of the account that is valid while the Secret exists. */
  readonly issueToken: (account: KubeObject, secret: string) => string;
}

const TYPE = 'kubernetes.io/service-account-token';
const NAME = 'kubernetes.io/service-account.name';
const UID = 'kubernetes.io/service-account.uid';

/**
 * The token controller: sets CA certificates, namespace and token in Secrets of type
 * `kubernetes.io/service-account-token`, and deletes those whose ServiceAccount does not exist.
 */
export function startTokenController(
  options: ControllerOptions,
  parts: TokenControllerOptions,
): { end(): Promise<void> } {
  const { reader, clock, onError } = options;
  const client = new Client(options.verbs, 'tokens-controller');
  const queue = new WorkQueue({
    clock,
    workers: 4,
    reconcile: (key) => reconcile(options, parts, { client, key }),
    onError,
  });
  const secrets = reader.watch('secrets', (secret, type) => {
    if (serviceAccountOf(secret) === undefined) return;
    if (type === 'put') queue.add(keyOf(secret));
    else
      void ignoreCodes([404, 409], removeReference(options, client, secret)).catch((error: unknown) =>
        onError(keyOf(secret), error),
      );
  });
  const accounts = reader.watch('serviceaccounts', ({ metadata: { namespace = '', name = '' } }, type) => {
    if (type === 'put') return;
    for (const secret of reader.list('secrets', namespace))
      if (serviceAccountOf(secret) === name) queue.add(keyOf(secret));
  });
  return {
    end() {
      secrets.end();
      accounts.end();
      return queue.end();
    },
  };
}

function keyOf({ metadata: { namespace = '', name = '' } }: KubeObject): string {
  return `${namespace}/${name}`;
}

/** The ServiceAccount that a token Secret belongs to; undefined for other Secrets. */
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

/** Sets missing data of a token Secret. Returns the same Secret where it is complete. */
function withTokenData(
  secret: KubeObject,
  account: KubeObject,
  { caBundle, issueToken }: TokenControllerOptions,
): KubeObject {
  const { namespace = '', name = '', uid = '' } = account.metadata;
  const data: JsonObject = isObject(secret['data']) ? secret['data'] : {};
  const bundle = base64(caBundle);
  const isComplete =
    own(data, 'ca.crt') === bundle && (own(data, 'namespace') ?? '') !== '' && (own(data, 'token') ?? '') !== '';
  if (isComplete) return secret;
  const tokenData = {
    'ca.crt': bundle,
    namespace: own(data, 'namespace') || base64(namespace),
    token: own(data, 'token') || base64(issueToken(account, secret.metadata.name ?? '')),
  };
  const metadata = { ...secret.metadata, annotations: { ...secret.metadata.annotations, [NAME]: name, [UID]: uid } };
  return { ...secret, metadata, data: { ...data, ...tokenData } };
}

/** Removes a deleted Secret from the `secrets` of its ServiceAccount. */
async function removeReference(
  { reader, registry }: ControllerOptions,
  client: Client,
  secret: KubeObject,
): Promise<void> {
  const { namespace = '', name = '' } = secret.metadata;
  const account = reader.get('serviceaccounts', namespace, serviceAccountOf(secret) ?? '');
  const references = account?.['secrets'];
  if (account === undefined || !isArray(references)) return;
  const kept = references.filter((one) => !isObject(one) || one['name'] !== name);
  if (kept.length === references.length) return;
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
