import { chmod, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { type Credentials, openCredentials } from '../../src/apiserver/credentials.js';

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

/** What of two is the same. */
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
  ])('that are opened again %s', async (_when, years, host, same) => {
    expect(kept(await open(0), await open(years, host))).toEqual({ ...same, signing: true, token: true });
  });

  it('whose files were spoiled are made anew, as far as they are certificates', async () => {
    const first = await open(0);
    await writeFile(path.join(folder, 'apiserver.key'), 'spoiled');
    const second = await open(0);
    await writeFile(path.join(folder, 'ca.crt'), 'spoiled');

    expect([kept(first, second), kept(second, await open(0))]).toEqual([
      { authority: true, serving: false, signing: true, token: true },
      { authority: false, serving: false, signing: true, token: true },
    ]);
  });

  it('that a copy has opened to others are closed again, certificates apart', async () => {
    const files = ['ca.key', 'apiserver.key', 'service-account.key', 'admin.token', 'ca.crt'];
    await open(0);
    for (const file of files) await chmod(path.join(folder, file), 0o644);
    await open(0);

    const modes = await Promise.all(files.map(async (file) => ((await stat(path.join(folder, file))).mode & 0o777).toString(8)));
    expect(modes).toEqual(['600', '600', '600', '600', '644']);
  });
});
