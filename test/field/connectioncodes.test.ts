import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { connect } from 'node:tls';
import { getSystemErrorMap } from 'node:util';
import { errors as clientErrors } from 'undici';
import { CODE_TEXTS, codeText } from '../../src/runtime/connection/codes.js';
import { failureText } from '../../src/runtime/connection/failure.js';

/*
 * A connection fails with a code of OpenSSL, Node or the HTTP client that nobody has thought of, and the user reads the bare code.
 * Right: each code that this Node can give has words and a remedy; this file asks Node which there are.
 */

/** The names that Node gives OpenSSL's reasons why a certificate is rejected: they stand together in its program. */
function certificateCodes(): readonly string[] {
  const program = readFileSync(process.execPath).toString('latin1');
  const around = (name: string): string[] => {
    const at = program.indexOf(`\0${name}\0`);
    if (at < 0) throw new Error(`the program of Node does not have ${name}: find its list in another way`);
    return program.slice(at - 1_500, at + 1_500).split('\0');
  };
  const names = [...around('CERT_HAS_EXPIRED'), ...around('UNABLE_TO_VERIFY_LEAF_SIGNATURE')];
  return [...new Set(names.filter((name) => /^[A-Z]{3,}(_[A-Z]+)+$/.test(name)))];
}

it('each reason why Node rejects a certificate is told as one of the certificate', () => {
  const codes = certificateCodes();

  expect(codes).toEqual(
    expect.arrayContaining(['INVALID_PURPOSE', 'CERT_REVOKED', 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY']),
  );
  expect(codes.length).toBeGreaterThan(25);
  const areas = codes.map((code) => codeText(code).area);
  expect(new Set(areas)).toEqual(new Set(['authority', 'certificate']));
});

let server: Server;
let alert = 0;
beforeAll(async () => {
  // The first record of the handshake is an alert.
  server = createServer((socket) => void socket.end(Buffer.from([21, 3, 3, 0, 2, 2, alert]))).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
});
afterAll(() => void server.close());

/** The code of the error when a server answers the handshake with this alert. */
function codeOfAlert(number: number): Promise<string> {
  alert = number;
  return new Promise((resolve) => {
    const socket = connect({ port: (server.address() as AddressInfo).port, host: '127.0.0.1' });
    socket.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? ''));
  });
}

it('each alert of TLS has words, and those about the client certificate name it', async () => {
  const codes: string[] = [];
  for (let number = 1; number <= 120; number++) codes.push(await codeOfAlert(number));

  expect(new Set(codes).size).toBeGreaterThan(25);
  expect(codes.filter((code) => codeText(code).code === '*')).toEqual([]);
  const ofClient = [41, 42, 43, 44, 45, 46, 48, 49, 51, 116].map((number) => codes[number - 1] ?? '');
  expect(ofClient.map((code) => codeText(code).area)).toEqual(ofClient.map(() => 'client certificate'));
});

it('each code of the system, of the HTTP client and of the HTTP parsers has words', () => {
  const { ERROR } = createRequire(import.meta.url)('undici/lib/llhttp/constants.js') as {
    ERROR: Record<string, unknown>;
  };
  const ofSystem = [...getSystemErrorMap().values()].map(([name]) => name);
  const ofParser = Object.keys(ERROR).filter((name) => name !== 'OK');
  const ofClient = Object.values(clientErrors).map((kind) => {
    const Kind = kind as unknown as new (...parts: unknown[]) => { readonly code?: string; readonly name: string };
    const made = new Kind('', '', {});
    return made.code ?? made.name;
  });
  const codes = [...ofSystem, ...ofClient, ...ofParser.map((name) => `HPE_${name}`)];

  expect([ofSystem.length > 70, ofParser.length > 20, ofClient.length > 15]).toEqual([true, true, true]);
  expect(codes.filter((code) => codeText(code).code === '*')).toEqual([]);
});

it('each row of the table makes a whole sentence', () => {
  const attempted = { server: 'https://hub.example:6443' };
  for (const { code, during, what, remedy } of CODE_TEXTS) {
    const text = failureText(Object.assign(new Error('secret'), { code: code.replaceAll('*', 'X') }), attempted, 0);

    expect([code, text]).toEqual([
      code,
      expect.stringMatching(/^no response from https:\/\/hub\.example:6443: .+ \(\S+\).*; .+$/),
    ]);
    expect(text).not.toMatch(/[{}]|undefined/);
    if (code !== 'ERR_PROXY' && code !== 'UNSPECIFIED') expect(text).not.toContain('secret');
    expect([during, what.endsWith('.'), remedy.endsWith('.')]).toEqual([during, false, false]);
  }
});
