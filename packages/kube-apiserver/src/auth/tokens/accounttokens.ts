import { randomUUID } from 'node:crypto';

import { AUTHENTICATED, type TokenCheck } from '../authenticator.js';
import { accountName } from '../rbac/bindings.js';
import { partsOf, readToken, type SigningKey, signToken } from './jwt.js';
import { strings } from '../rbac/rules.js';
import { isObject, type Json, type JsonObject, own } from '@multicluster-engine/values/json';
import type { KubeObject } from '@multicluster-engine/values/object';
import type { ObjectReader } from '../../registry/reader.js';
import { goQuote } from '@multicluster-engine/values/text';
import type { Clock } from '../../clock.js';

export const ISSUER = 'https://kubernetes.default.svc';

/** The content of a new token. */
export interface TokenContent {
  readonly account: KubeObject;
  readonly audiences: readonly string[];
  readonly seconds: number;
  /** A Secret or Node; the token is valid while it exists. */
  readonly bound?: { readonly kind: 'secret' | 'node'; readonly object: KubeObject };
}

/** Issues a ServiceAccount token: a JWT with the claims of kube-apiserver. */
export function issueToken(
  key: SigningKey,
  clock: Clock,
  { account, audiences, seconds, bound }: TokenContent,
): string {
  const now = Math.floor(clock.now() / 1000);
  const { namespace = '', name = '' } = account.metadata;
  const reference = bound === undefined ? {} : { [bound.kind]: refTo(bound.object) };
  return signToken(key, {
    aud: audiences,
    exp: now + seconds,
    iat: now,
    iss: ISSUER,
    jti: randomUUID(),
    'kubernetes.io': { namespace, ...reference, serviceaccount: refTo(account) },
    nbf: now,
    sub: accountName(namespace, name),
  });
}

function refTo({ metadata }: KubeObject): JsonObject {
  return { name: metadata.name, uid: metadata.uid };
}

/** The claims of a valid token. */
interface Claims {
  readonly namespace: string;
  readonly account: Reference;
  readonly secret: Reference | undefined;
  readonly node: Reference | undefined;
  readonly audiences: readonly string[];
  readonly from: number;
  readonly until: number;
  readonly id: string;
}

interface Reference {
  readonly name: string;
  readonly uid: string;
}

/** Tolerance in seconds for clock differences, and for objects that are being deleted. */
const LEEWAY_S = 60;
/** Cache of verified signatures: verifying takes a tenth of a millisecond per request. */
const KNOWN_TOKENS = 1000;

interface Parts {
  readonly key: SigningKey;
  readonly reader: ObjectReader;
  readonly clock: Clock;
}

/** Checks the tokens of {@link issueToken}: valid until they expire, while the objects that they are bound to exist. */
export function accountTokens({ key, reader, clock }: Parts): TokenCheck {
  const known = new Map<string, Claims>();
  const claimsOf = (token: string): Claims | undefined => {
    const claims = known.get(token) ?? readClaims(readToken(key, token));
    if (claims === undefined || known.has(token)) return claims;
    const [oldest] = known.keys();
    if (known.size >= KNOWN_TOKENS && oldest !== undefined) known.delete(oldest);
    known.set(token, claims);
    return claims;
  };
  return (token, wanted) => {
    const claims = claimsOf(token);
    if (claims === undefined)
      return claimsIssuer(token) ? { problem: 'go-jose/go-jose: error in cryptographic primitive' } : undefined;
    const audiences = claims.audiences.filter((one) => wanted.includes(one));
    if (audiences.length === 0)
      return {
        problem: `token audiences ${listed(claims.audiences)} is invalid for the target audiences ${listed(wanted)}`,
      };
    const problem = problemOf(claims, reader, clock.now() / 1000);
    const { namespace, account, node, id } = claims;
    return problem === undefined ? { user: userOf(namespace, account, { id, node }), audiences } : { problem };
  };
}

/** As Go prints a list of quoted texts. */
function listed(texts: readonly string[]): string {
  return `[${texts.map(goQuote).join(' ')}]`;
}

/** Whether a token claims this issuer without its signature. */
function claimsIssuer(token: string): boolean {
  try {
    const claims: Json = JSON.parse(partsOf(token)?.claims.toString('utf8') ?? '');
    return isObject(claims) && own(claims, 'iss') === ISSUER;
  } catch {
    return false;
  }
}

/** Why a token with a valid signature is invalid: its time, its account, or the object that it is bound to. */
function problemOf(
  { namespace, account, secret, node, from, until }: Claims,
  reader: ObjectReader,
  now: number,
): string | undefined {
  if (now > until + LEEWAY_S) return 'service account token has expired';
  if (now < from - LEEWAY_S) return 'service account token is not valid yet';
  const found = reader.get('serviceaccounts', namespace, account.name);
  if (found === undefined) return `serviceaccounts ${goQuote(account.name)} not found`;
  if (found.metadata.uid !== account.uid)
    return `service account UID (${found.metadata.uid ?? ''}) does not match claim (${account.uid})`;
  if (isExpiredDeletion(found, now)) return `service account ${namespace}/${account.name} has been deleted`;
  return (
    boundProblem('secret', secret, secret && reader.get('secrets', namespace, secret.name), now) ??
    boundProblem('node', node, node && reader.get('nodes', '', node.name), now)
  );
}

function boundProblem(
  kind: 'secret' | 'node',
  reference: Reference | undefined,
  object: KubeObject | undefined,
  now: number,
): string | undefined {
  if (reference === undefined) return undefined;
  const uid = object?.metadata.uid ?? '';
  if (object !== undefined && uid !== reference.uid)
    return `${kind} UID (${uid}) does not match service account ${kind} ref claim (${reference.uid})`;
  return object === undefined || isExpiredDeletion(object, now)
    ? 'service account token has been invalidated'
    : undefined;
}

function isExpiredDeletion({ metadata: { deletionTimestamp } }: KubeObject, now: number): boolean {
  return deletionTimestamp !== undefined && Date.parse(deletionTimestamp) / 1000 < now - LEEWAY_S;
}

function userOf(
  namespace: string,
  { name, uid }: Reference,
  { id, node }: { readonly id: string; readonly node: Reference | undefined },
): { name: string; uid: string; groups: string[]; extra: Record<string, string[]> } {
  const prefix = 'authentication.kubernetes.io/';
  const ofNode = node === undefined ? {} : { [`${prefix}node-name`]: [node.name], [`${prefix}node-uid`]: [node.uid] };
  return {
    name: accountName(namespace, name),
    uid,
    groups: ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, AUTHENTICATED],
    extra: { [`${prefix}credential-id`]: [`JTI=${id}`], ...ofNode },
  };
}

function readClaims(claims: JsonObject | undefined): Claims | undefined {
  const ours = claims === undefined ? undefined : own(claims, 'kubernetes.io');
  if (claims === undefined || !isObject(ours) || claims['iss'] !== ISSUER) return undefined;
  const { exp, nbf, aud, jti } = claims;
  const account = readReference(ours['serviceaccount']);
  const { namespace } = ours;
  if (account === undefined || typeof namespace !== 'string' || typeof exp !== 'number' || typeof nbf !== 'number')
    return undefined;
  const secret = readReference(ours['secret']);
  return {
    namespace,
    account,
    secret,
    node: readReference(ours['node']),
    audiences: strings(aud),
    from: nbf,
    until: exp,
    id: typeof jti === 'string' ? jti : '',
  };
}

function readReference(value: Json | undefined): Reference | undefined {
  if (!isObject(value)) return undefined;
  const { name, uid } = value;
  return typeof name === 'string' && typeof uid === 'string' ? { name, uid } : undefined;
}
