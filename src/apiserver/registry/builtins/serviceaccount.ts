import { isArray, isObject, own, type Json } from '../../json.js';
import type { KubeObject } from '../../object.js';
import type { Kind } from './kind.js';

export const SERVICE_ACCOUNT: Kind = {
  group: '',
  version: 'v1',
  kind: 'ServiceAccount',
  plural: 'serviceaccounts',
  namespaced: true,
  definition: 'io.k8s.api.core.v1.ServiceAccount',
  shortNames: ['sa'],
  subresources: [{ name: 'token', kind: 'TokenRequest', group: 'authentication.k8s.io', version: 'v1', verbs: ['create'] }],
  create: withPlainSecrets,
  update: withPlainSecrets,
};

/** References to Secrets keep nothing but the name. */
function withPlainSecrets(account: KubeObject): KubeObject {
  const { secrets } = account;
  if (!isArray(secrets)) return account;
  const plain = secrets.map((secret: Json): Json => {
    const name = isObject(secret) ? own(secret, 'name') : undefined;
    return name === undefined ? {} : { name };
  });
  return { ...account, secrets: plain };
}
