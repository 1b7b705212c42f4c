import { randomUUID } from 'node:crypto';

import { AUTHENTICATED, type TokenCheck } from './authenticator.js';
import { accountName } from './bindings.js';
import { readToken, type SigningKey, signToken } from './jwt.js';
import { strings } from './rules.js';
import { isObject, type Json, type JsonObject, own } from '../json.js';
import type { KubeObject } from '../object.js';
import type { ObjectReader } from '../registry/reader.js';
import type { Clock } from '../../runtime/clock.js';

export const ISSUER = 'https://kubernetes.default.svc';

/** What a token is for. */
export interface TokenWish {
  readonly account: KubeObject;
  readonly audiences: readonly string[];
  readonly seconds: number;
  /** A Secret or Node that the token ends with. */
  readonly bound?: { readonly kind: 'secret' | 'node'; readonly object: KubeObject };
}

/** Makes a token of a ServiceAccount: a JWT with the claims that the real server writes. */
export function issueToken(key: SigningKey, clock: Clock, { account, audiences, seconds, bound }: TokenWish): string {
  const now = Math.floor(clock.now() / 1000);
  const { namespace = '', name = '' } = account.metadata;
  const reference = bound === undefined ? {} : { [bound.kind]: refTo(bound.object) };
  return signToken(key, {
    aud: audiences, exp: now + seconds, iat: now, iss: ISSUER, jti: randomUUID(),
    'kubernetes.io': { namespace, ...reference, serviceaccount: refTo(account) },
    nbf: now, sub: accountName(namespace, name),
  });
}

function refTo({ metadata }: KubeObject): JsonObject {
  return { name: metadata.name, uid: metadata.uid };
}

/** What a good token says. */
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

/** Seconds by which clocks may differ, and for which what is being deleted still counts. */
const LEEWAY_S = 60;
/** Signatures that were found good; a token costs a tenth of a millisecond else, with every request. */
const KNOWN_TOKENS = 1000;

interface Parts {
  readonly key: SigningKey;
  readonly reader: ObjectReader;
  readonly clock: Clock;
}

/** Knows the tokens of {@link issueToken} while they last and what they are bound to is there. */
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
    if (claims === undefined) return undefined;
    const now = clock.now() / 1000;
    const audiences = claims.audiences.filter((one) => wanted.includes(one));
    if (audiences.length === 0 || now > claims.until + LEEWAY_S || now < claims.from - LEEWAY_S) return undefined;
    const { namespace, account, secret, node, id } = claims;
    const there = (collection: string, place: string, one: Reference | undefined): boolean => one === undefined || isThere(reader.get(collection, place, one.name), one.uid, now);
    if (!there('serviceaccounts', namespace, account) || !there('secrets', namespace, secret) || !there('nodes', '', node)) return undefined;
    return { user: userOf(namespace, account, { id, node }), audiences };
  };
}

function isThere(object: KubeObject | undefined, uid: string, now: number): boolean {
  if (object === undefined || object.metadata.uid !== uid) return false;
  const { deletionTimestamp } = object.metadata;
  return deletionTimestamp === undefined || Date.parse(deletionTimestamp) / 1000 >= now - LEEWAY_S;
}

function userOf(namespace: string, { name, uid }: Reference, { id, node }: { readonly id: string; readonly node: Reference | undefined }): { name: string; uid: string; groups: string[]; extra: Record<string, string[]> } {
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
  if (account === undefined || typeof namespace !== 'string' || typeof exp !== 'number' || typeof nbf !== 'number') return undefined;
  const secret = readReference(ours['secret']);
  return { namespace, account, secret, node: readReference(ours['node']), audiences: strings(aud), from: nbf, until: exp, id: typeof jti === 'string' ? jti : '' };
}

function readReference(value: Json | undefined): Reference | undefined {
  if (!isObject(value)) return undefined;
  const { name, uid } = value;
  return typeof name === 'string' && typeof uid === 'string' ? { name, uid } : undefined;
}
