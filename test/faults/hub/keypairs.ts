import type { IssueKeyPair } from '../../../src/operator/controllers/engine/scope.js';
import type { KeyPair } from '../../../src/domain/engine/steps/certificate.js';
import { LIFETIME_MS } from '../../../src/runtime/tls/serving.js';

/** A certificate whose serial number is the text ABCDEFGHABCDEFGH. */
const TEMPLATE = [
  'MIIBaDCCAQ+gAwIBAgIQQUJDREVGR0hBQkNERUZHSDAKBggqhkjOPQQDAjAMMQowCAYDVQQDDAFhMB4XDTI2MTIwMTAxMjkyMFoX',
  'DTI3MDMwMTAxMjkyMFowDDEKMAgGA1UEAwwBYTBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABLzPxXeUEdmgNkOBBoTQR5Q7NxyL',
  '7zPI+fqi9WhOgaK1cCXCtHOYujxjL5gIuXp5h09w6kIRVRo+yKpLmQMTSJSjUzBRMB0GA1UdDgQWBBQ+d+L0wiUh/zFWOtck3Gaq',
  'mf+aVjAfBgNVHSMEGDAWgBQ+d+L0wiUh/zFWOtck3Gaqmf+aVjAPBgNVHRMBAf8EBTADAQH/MAoGCCqGSM49BAMCA0cAMEQCIF43',
  'rwC3sEX84DG5JSI4iIqjTvGCgy9Qmjbi/klCFwtpAiA7xLQXudrdpppEdTcqwa91W5fPJHnreaLVzWdH0I8HMQ==',
].join('');
/** Its key. */
const KEY = [
  'MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgSHyIDWXdHppOE1uUfgH7D/hrfUuWP7njQmvKhUHAI+uhRANCAAS8',
  'z8V3lBHZoDZDgQaE0EeUOzcci+8zyPn6ovVoToGitXAlwrRzmLo8Yy+YCLl6eYdPcOpCEVUaPsiqS5kDE0iU',
].join('');
const SERIAL = 'ABCDEFGHABCDEFGH';
/** When it is valid, as in RFC 5280 (UTCTime). */
const TIMES = /\d{12}Z/g;

/**
 * Key pairs that can be read, and that nobody serves with. Real ones are made in threads, which end in an order that no seed names.
 */
export function keyPairsOf(random: () => number): IssueKeyPair {
  return (_names, now) => Promise.resolve(keyPair(String(random()).slice(2), now));
}

/** `number`: sixteen digits; a shorter one is filled with zeros. */
export function keyPair(number: string, now: number): KeyPair {
  const notAfter = Math.floor(now / 1000) * 1000 + LIFETIME_MS;
  const times = [now, notAfter].map(utcTime);
  const text = atob(TEMPLATE)
    .replace(SERIAL, number.padEnd(SERIAL.length, '0').slice(0, SERIAL.length))
    .replaceAll(TIMES, () => times.shift() ?? '');
  return { certificate: pem('CERTIFICATE', text), privateKey: pem('PRIVATE KEY', atob(KEY)), notAfter };
}

function utcTime(ms: number): string {
  return new Date(ms)
    .toISOString()
    .replaceAll(/[-:T]|\.\d+/g, '')
    .slice(2);
}

function pem(label: string, text: string): string {
  return `-----BEGIN ${label}-----\n${btoa(text)}\n-----END ${label}-----\n`;
}
