import { AUTHENTICATED, type TokenCheck } from '../authenticator.js';
import { accountName } from '../rbac/bindings.js';
import { partsOf, readToken, type SigningKey, signToken } from './jwt.js';
import { isObject, own, type JsonObject } from '@multicluster-engine/values/json';
import type { KubeObject } from '@multicluster-engine/values/object';
import type { ObjectReader } from '../../registry/reader.js';

/**
 * Tokens without expiry, of Secrets of type `kubernetes.io/service-account-token`: valid while the Secret holds them.
 */

const ISSUER = 'kubernetes/serviceaccount';
const CLAIM = 'kubernetes.io/serviceaccount/';
const INVALID_SINCE = 'kubernetes.io/legacy-token-invalid-since';

/** The token for the Secret of an account: a JWT with the claims of kube-apiserver. */
export function legacyToken(key: SigningKey, account: KubeObject, secret: string): string {
  const { namespace = '', name = '', uid = '' } = account.metadata;
  return signToken(key, {
    iss: ISSUER,
    [`${CLAIM}namespace`]: namespace,
    [`${CLAIM}secret.name`]: secret,
    [`${CLAIM}service-account.name`]: name,
    [`${CLAIM}service-account.uid`]: uid,
    sub: accountName(namespace, name),
  });
}

/**
 * Checks the tokens of {@link legacyToken}: valid while their Secret holds them and their account exists, for the API's
 * audience only.
 */
export function legacyTokens(
  { key, reader }: { readonly key: SigningKey; readonly reader: ObjectReader },
  api: readonly string[],
): TokenCheck {
  return (token, wanted) => {
    if (issuerOf(token) !== ISSUER) return undefined;
    const claims = readToken(key, token);
    if (claims === undefined) return { problem: 'go-jose/go-jose: error in cryptographic primitive' };
    const audiences = api.filter((one) => wanted.includes(one));
    if (audiences.length === 0)
      return {
        problem: `token audiences [] is invalid for the target audiences [${wanted.map((one) => JSON.stringify(one)).join(' ')}]`,
      };
    const problem = problemOf(token, claims, reader);
    return problem === undefined ? { user: userOf(claims), audiences } : { problem };
  };
}

/** Does not verify the signature: most tokens are of another type. */
function issuerOf(token: string): string | undefined {
  try {
    const value: unknown = JSON.parse(partsOf(token)?.claims.toString('utf8') ?? '');
    const issuer = isObject(value) ? own(value, 'iss') : undefined;
    return typeof issuer === 'string' ? issuer : undefined;
  } catch {
    return undefined;
  }
}

function claimOf(claims: JsonObject, name: string): string {
  const value = own(claims, `${CLAIM}${name}`);
  return typeof value === 'string' ? value : '';
}

function problemOf(token: string, claims: JsonObject, reader: ObjectReader): string | undefined {
  const [namespace, name, uid] = [
    claimOf(claims, 'namespace'),
    claimOf(claims, 'service-account.name'),
    claimOf(claims, 'service-account.uid'),
  ];
  const secretName = claimOf(claims, 'secret.name');
  const secret = reader.get('secrets', namespace, secretName);
  if (secret === undefined || secret.metadata.deletionTimestamp !== undefined) return 'Token has been invalidated';
  if (tokenIn(secret) !== token) return "Token does not match server's copy";
  const account = reader.get('serviceaccounts', namespace, name);
  if (account === undefined) return `serviceaccounts "${name}" not found`;
  if (account.metadata.deletionTimestamp !== undefined) return `ServiceAccount ${namespace}/${name} has been deleted`;
  if (account.metadata.uid !== uid)
    return `ServiceAccount UID (${account.metadata.uid ?? ''}) does not match claim (${uid})`;
  if ((secret.metadata.labels?.[INVALID_SINCE] ?? '') === '') return undefined;
  return (
    `the token in secret ${namespace}/${secretName} for service account ${namespace}/${name} has been marked invalid. ` +
    `Use tokens from the TokenRequest API or manually created secret-based tokens, or remove the '${INVALID_SINCE}' label from the secret to temporarily allow use of this token`
  );
}

function tokenIn({ data }: KubeObject): string {
  const value = isObject(data) ? own(data, 'token') : undefined;
  return typeof value === 'string' ? Buffer.from(value, 'base64').toString('utf8') : '';
}

function userOf(claims: JsonObject): {
  readonly name: string;
  readonly uid: string;
  readonly groups: readonly string[];
} {
  const namespace = claimOf(claims, 'namespace');
  return {
    name: accountName(namespace, claimOf(claims, 'service-account.name')),
    uid: claimOf(claims, 'service-account.uid'),
    groups: ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, AUTHENTICATED],
  };
}
