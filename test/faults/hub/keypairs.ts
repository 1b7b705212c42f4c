import type { IssueKeyPair } from '../../../src/operator/controllers/engine/scope.js';
import { LIFETIME_MS } from '../../../src/runtime/tls/serving.js';

/**
 * Key pairs in the form of PEM that nobody serves with. Real ones are made in threads, which end in an order that no seed names.
 */
export function keyPairsOf(random: () => number): IssueKeyPair {
  return (names, now) => {
    const text = `${names.join(' ')} ${now} ${random()}`;
    const [certificate, privateKey] = [pem('CERTIFICATE', text), pem('PRIVATE KEY', text)];
    return Promise.resolve({ certificate, privateKey, notAfter: Math.floor(now / 1000) * 1000 + LIFETIME_MS });
  };
}

function pem(label: string, text: string): string {
  return `-----BEGIN ${label}-----\n${Buffer.from(text).toString('base64')}\n-----END ${label}-----\n`;
}
