import type { KeyPair } from '../../../src/domain/engine/steps/certificate.js';

export const DAY_MS = 24 * 3600 * 1000;
/** A part of every key that {@link issueForTest} makes: it may not appear anywhere else. */
export const KEY_CANARY = 'canary-of-a-private-key';

let issued = 0;

/** A new placeholder for a key pair, valid for 90 days. */
export function issueForTest(_names: readonly string[], now: number): Promise<KeyPair> {
  issued += 1;
  return Promise.resolve(pairForTest(issued, now));
}

/** The key pair of that number. */
export function pairForTest(number: number, now: number): KeyPair {
  return { certificate: `${pem(number)}\n`, privateKey: `${KEY_CANARY}-${number}`, notAfter: now + 90 * DAY_MS };
}

/** The certificate of that number. */
export function pem(number: number): string {
  return `-----BEGIN CERTIFICATE-----\n${String(number).padStart(8, 'A')}\n-----END CERTIFICATE-----`;
}
