import { generateKeyPairSync } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { chmod, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { generateSigningKey } from '../../../src/auth/tokens/jwt.js';
import { checkSecrets, type Credentials, openCredentials } from '../../../src/server/credentials.js';

const NOW = Date.parse('2026-01-01T00:00:00Z');
const YEAR_MS = 365 * 24 * 3600 * 1000;

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'credentials-test-'));
});

afterEach(() => rm(folder, { recursive: true }));

function open(years: number, host = '127.0.0.1'): Promise<Credentials> {
  return openCredentials({ folder, host, now: NOW + years * YEAR_MS });
}

/** The parts that are equal. */
function kept(a: Credentials, b: Credentials): Record<string, boolean> {
  return {
    authority: a.authority.certificate === b.authority.certificate,
    serving: a.serving.certificate === b.serving.certificate,
    signing: a.signing.id === b.signing.id,
    token: a.token === b.token,
  };
}

describe('credentials', () => {
  it.each([
    ['the same day', 0, '127.0.0.1', { authority: true, serving: true }],
    ['a month before the certificate ends', 0.93, '127.0.0.1', { authority: true, serving: false }],
    ['on another host', 0, 'hub.example.com', { authority: true, serving: false }],
    ['a month before the authority ends', 9.95, '127.0.0.1', { authority: false, serving: false }],
  ])('credentials that are opened again %s keep their valid parts', async (_when, years, host, same) => {
    expect(kept(await open(0), await open(years, host))).toEqual({ ...same, signing: true, token: true });
  });

  it('invalid certificates are issued anew', async () => {
    const first = await open(0);
    await writeFile(path.join(folder, 'apiserver.key'), 'spoiled');
    const second = await open(0);
    await writeFile(path.join(folder, 'ca.crt'), 'spoiled');

    expect([kept(first, second), kept(second, await open(0))]).toEqual([
      { authority: true, serving: false, signing: true, token: true },
      { authority: false, serving: false, signing: true, token: true },
    ]);
  });

  it('the permissions of copied secrets are restored, those of certificates stay', async () => {
    const files = ['ca.key', 'apiserver.key', 'service-account.key', 'admin.token', 'ca.crt'];
    await open(0);
    for (const file of files) await chmod(path.join(folder, file), 0o644);
    await open(0);

    const modes = await Promise.all(
      files.map(async (file) => ((await stat(path.join(folder, file))).mode & 0o777).toString(8)),
    );
    expect(modes).toEqual(['600', '600', '600', '600', '644']);
  });
});

/** The error message; 'fine' where there is none. */
async function messageOf(work: Promise<void>): Promise<string> {
  return work.then(
    () => 'fine',
    (error: unknown) => (error instanceof Error ? error.message.replaceAll(folder, 'FOLDER') : ''),
  );
}

const rsa = (): string =>
  String(generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ type: 'pkcs8', format: 'pem' }));
const KEY =
  'FOLDER/service-account.key must hold a private key of the curve P-256 in PEM, and does not: restore it from a copy, or remove it';
const TOKEN = 'FOLDER/admin.token must hold one token of at least 48 visible ASCII characters, got';

describe('the secrets of a data folder', () => {
  it.each<[string, string, () => string, string]>([
    ['a token as it is made', 'admin.token', () => 'a'.repeat(48), 'fine'],
    ['a token with a newline', 'admin.token', () => `${'a'.repeat(48)}\n`, 'fine'],
    ['an empty token', 'admin.token', () => '\n', 'fine'],
    ['a short token', 'admin.token', () => 'foo\n', `${TOKEN} 3 characters: remove the file`],
    ['a token of one', 'admin.token', () => 'f', `${TOKEN} 1 character: remove the file`],
    [
      'two tokens',
      'admin.token',
      () => `${'a'.repeat(48)}\n${'b'.repeat(48)}`,
      `${TOKEN} 97 characters: remove the file`,
    ],
    ['a key as it is made', 'service-account.key', generateSigningKey, 'fine'],
    ['an empty key', 'service-account.key', () => '', 'fine'],
    ['a garbled key', 'service-account.key', () => 'garbled', KEY],
    ['a key of another kind', 'service-account.key', rsa, KEY],
  ])('the secrets of a data folder are checked: %s', async (_name, file, text, message) => {
    writeFileSync(path.join(folder, file), text());
    expect(await messageOf(checkSecrets(folder))).toMatch(new RegExp(`^${message.replaceAll('.', String.raw`\.`)}`));
  });

  it('a secret that cannot be read is named in the error', async () => {
    mkdirSync(path.join(folder, 'admin.token'));
    expect(await messageOf(checkSecrets(folder))).toMatch(/^FOLDER\/admin\.token cannot be read: .*EISDIR/);
  });
});
