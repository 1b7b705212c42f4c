import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  sign,
  verify,
} from 'node:crypto';
import { isObject, type Json, type JsonObject } from '@multicluster-engine/values/json';

/** A P-256 key pair that signs and verifies tokens. */
export interface SigningKey {
  readonly id: string;
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
}

const ES256 = { dsaEncoding: 'ieee-p1363' } as const;

/** A new key, PEM of PKCS #8. */
export function generateSigningKey(): string {
  return generateKeyPairSync('ec', { namedCurve: 'P-256' })
    .privateKey.export({ type: 'pkcs8', format: 'pem' })
    .toString();
}

export function readSigningKey(pem: string): SigningKey {
  const privateKey = createPrivateKey(pem);
  const publicKey = createPublicKey(privateKey);
  const id = createHash('sha256')
    .update(publicKey.export({ type: 'spki', format: 'der' }))
    .digest('base64url');
  return { id, privateKey, publicKey };
}

/** The public key as a JSON Web Key. */
export function toJwk(key: SigningKey): JsonObject {
  const { x = '', y = '' } = key.publicKey.export({ format: 'jwk' });
  return { use: 'sig', kty: 'EC', kid: key.id, crv: 'P-256', alg: 'ES256', x, y };
}

export function signToken(key: SigningKey, claims: JsonObject): string {
  const body = `${encode({ alg: 'ES256', kid: key.id })}.${encode(claims)}`;
  const signature = sign('sha256', Buffer.from(body), { key: key.privateKey, ...ES256 });
  return `${body}.${signature.toString('base64url')}`;
}

/** The claims of a token with a valid signature of this key; undefined for anything else. Does not check the claims. */
export function readToken(key: SigningKey, token: string): JsonObject | undefined {
  const parts = partsOf(token);
  if (parts === undefined) return undefined;
  const { header, claims, signature } = parts;
  const { alg, kid } = decode(header) ?? {};
  if (alg !== 'ES256' || kid !== key.id) return undefined;
  const signed = `${header.toString('base64url')}.${claims.toString('base64url')}`;
  return verify('sha256', Buffer.from(signed), { key: key.publicKey, ...ES256 }, signature)
    ? decode(claims)
    : undefined;
}

interface TokenParts {
  readonly header: Buffer;
  readonly claims: Buffer;
  readonly signature: Buffer;
}

/** The parts of a JWT; undefined for anything else. Ignores surrounding space. */
export function partsOf(token: string): TokenParts | undefined {
  const [header, claims, signature, ...more] = token.trim().split('.').map(bytesOf);
  return header === undefined || claims === undefined || signature === undefined || more.length > 0
    ? undefined
    : { header, claims, signature };
}

/**
 * Decodes base64url as Go does: no padding, no other alphabet; ignores line ends, and the unused bits of the last
 * character.
 */
function bytesOf(part: string): Buffer | undefined {
  if (!/^[\w\r\n-]*$/.test(part)) return undefined;
  const bare = part.replaceAll(/[\r\n]/g, '');
  return bare.length % 4 === 1 ? undefined : Buffer.from(bare, 'base64url');
}

function encode(value: JsonObject): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

function decode(text: Buffer): JsonObject | undefined {
  try {
    const value: Json = JSON.parse(text.toString('utf8'));
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
