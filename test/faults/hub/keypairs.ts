import type { IssueKeyPair } from '../../../src/operator/controllers/engine/scope.js';
import { LIFETIME_MS } from '../../../src/runtime/tls/serving.js';

/** A certificate whose serial number is the text ABCDEFGHABCDEFGH. */
const TEMPLATE = [
  'MIIBaDCCAQ+gAwIBAgIQQUJDREVGR0hBQkNERUZHSDAKBggqhkjOPQQDAjAMMQowCAYDVQQDDAFhMB4XDTI2MTIwMTAxMjkyMFoX',
  'DTI3MDMwMTAxMjkyMFowDDEKMAgGA1UEAwwBYTBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABLzPxXeUEdmgNkOBBoTQR5Q7NxyL',
  '7zPI+fqi9WhOgaK1cCXCtHOYujxjL5gIuXp5h09w6kIRVRo+yKpLmQMTSJSjUzBRMB0GA1UdDgQWBBQ+d+L0wiUh/zFWOtck3Gaq',
  'mf+aVjAfBgNVHSMEGDAWgBQ+d+L0wiUh/zFWOtck3Gaqmf+aVjAPBgNVHRMBAf8EBTADAQH/MAoGCCqGSM49BAMCA0cAMEQCIF43',
  'rwC3sEX84DG5JSI4iIqjTvGCgy9Qmjbi/klCFwtpAiA7xLQXudrdpppEdTcqwa91W5fPJHnreaLVzWdH0I8HMQ==',
].join('');
const SERIAL = 'ABCDEFGHABCDEFGH';
/** When it is valid, as in RFC 5280 (UTCTime). */
const TIMES = /\d{12}Z/g;

/**
 * Key pairs that can be read, and that nobody serves with. Real ones are made in threads, which end in an order that no seed names.
 */
export function keyPairsOf(random: () => number): IssueKeyPair {
  return (_names, now) => {
    const number = String(random()).slice(2).padEnd(SERIAL.length, '0').slice(0, SERIAL.length);
    const notAfter = Math.floor(now / 1000) * 1000 + LIFETIME_MS;
    const times = [now, notAfter].map(utcTime);
    const text = atob(TEMPLATE)
      .replace(SERIAL, number)
      .replaceAll(TIMES, () => times.shift() ?? '');
    return Promise.resolve({ certificate: pem('CERTIFICATE', text), privateKey: pem('PRIVATE KEY', number), notAfter });
  };
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
