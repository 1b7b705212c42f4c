import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign, verify } from 'node:crypto';
import { isObject, type Json, type JsonObject } from '../json.js';

/** A P-256 key that signs tokens, and its public half that checks them. */
export interface SigningKey {
  readonly id: string;
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
}

const ES256 = { dsaEncoding: 'ieee-p1363' } as const;

/** A new key, PEM of PKCS #8. */
export function generateSigningKey(): string {
  return generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
}

export function readSigningKey(pem: string): SigningKey {
  const privateKey = createPrivateKey(pem);
  const publicKey = createPublicKey(privateKey);
  const id = createHash('sha256').update(publicKey.export({ type: 'spki', format: 'der' })).digest('base64url');
  return { id, privateKey, publicKey };
}

/** The public half as a JSON Web Key. */
export function toJwk(key: SigningKey): JsonObject {
  const { x = '', y = '' } = key.publicKey.export({ format: 'jwk' });
  return { use: 'sig', kty: 'EC', kid: key.id, crv: 'P-256', alg: 'ES256', x, y };
}

export function signToken(key: SigningKey, claims: JsonObject): string {
  const body = `${encode({ alg: 'ES256', kid: key.id })}.${encode(claims)}`;
  const signature = sign('sha256', Buffer.from(body), { key: key.privateKey, ...ES256 });
  return `${body}.${signature.toString('base64url')}`;
}

/** The claims of a token that this key signed; undefined for anything else. Says nothing of their truth today. */
export function readToken(key: SigningKey, token: string): JsonObject | undefined {
  const [header = '', claims = '', signature = '', ...more] = token.split('.');
  if (signature === '' || more.length > 0) return undefined;
  const { alg, kid } = decode(header) ?? {};
  if (alg !== 'ES256' || kid !== key.id) return undefined;
  const good = verify('sha256', Buffer.from(`${header}.${claims}`), { key: key.publicKey, ...ES256 }, Buffer.from(signature, 'base64url'));
  return good ? decode(claims) : undefined;
}

function encode(value: JsonObject): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

function decode(text: string): JsonObject | undefined {
  try {
    const value: Json = JSON.parse(Buffer.from(text, 'base64url').toString('utf8'));
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
