import { isArray, isObject, own, type Json } from '@multicluster-engine/values/json';
import type { KubeObject } from '@multicluster-engine/values/object';
import type { Kind } from '../kind.js';

const MOUNTABLE = 'kubernetes.io/enforce-mountable-secrets';

export const SERVICE_ACCOUNT: Kind = {
  group: '',
  version: 'v1',
  kind: 'ServiceAccount',
  plural: 'serviceaccounts',
  namespaced: true,
  definition: 'io.k8s.api.core.v1.ServiceAccount',
  shortNames: ['sa'],
  subresources: [
    { name: 'token', kind: 'TokenRequest', group: 'authentication.k8s.io', version: 'v1', verbs: ['create'] },
  ],
  prepareCreate: withSecretNamesOnly,
  prepareUpdate: withSecretNamesOnly,
  warnings(next, old) {
    const set = (account: KubeObject | undefined): boolean => account?.metadata.annotations?.[MOUNTABLE] !== undefined;
    return set(next) && !set(old)
      ? [
          `metadata.annotations[${MOUNTABLE}]: deprecated in v1.32+; prefer separate namespaces to isolate access to mounted secrets`,
        ]
      : [];
  },
};

/** Drops everything but the name from references to Secrets. */
function withSecretNamesOnly(account: KubeObject): KubeObject {
  const { secrets } = account;
  if (!isArray(secrets)) return account;
  const plain = secrets.map((secret: Json): Json => {
    const name = isObject(secret) ? own(secret, 'name') : undefined;
    return name === undefined ? {} : { name };
  });
  return { ...account, secrets: plain };
}
