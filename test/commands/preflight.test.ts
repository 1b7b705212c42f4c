import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { checkFolders, startErrorMessage, withGatewayPort } from '../../src/commands/preflight.js';
import { readConfig } from '../../src/config/config.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'preflight-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** The message of the error; 'fine' without one. */
async function messageOf(work: Promise<void>): Promise<string> {
  return work.then(
    () => 'fine',
    (error: unknown) => (error instanceof Error ? error.message.replaceAll(folder, 'FOLDER') : ''),
  );
}

describe('the data folder', () => {
  it.each([
    ['that does not exist is created', 'none', 'fine'],
    [
      'that is a file is refused',
      'file',
      '--data-dir=FOLDER/file must be a folder, and is a file: take another folder with --data-dir=DIR',
    ],
    [
      'whose store is a file is refused',
      'odd',
      '--data-dir=FOLDER/odd cannot be used: FOLDER/odd/store must be a folder, and is a file: move it away, or take another folder with --data-dir=DIR',
    ],
  ])('a data folder %s', async (_name, name, message) => {
    writeFileSync(path.join(folder, 'file'), '');
    mkdirSync(path.join(folder, 'odd'));
    writeFileSync(path.join(folder, 'odd', 'store'), '');
    expect(await messageOf(checkFolders({ dataDir: path.join(folder, name), auditLog: undefined }))).toBe(message);
  });

  it('the data folder is named when its log cannot be written', async () => {
    mkdirSync(path.join(folder, 'logs', 'standalone.log'), { recursive: true });
    expect(await messageOf(checkFolders({ dataDir: folder, auditLog: undefined }))).toMatch(
      /^--data-dir=FOLDER cannot be used: .*EISDIR.* 'FOLDER\/logs\/standalone\.log'$/,
    );
  });

  it('the data folder is named when its disk is full', () => {
    const full = Object.assign(new Error('ENOSPC: no space left on device, write'), {
      code: 'ENOSPC',
      syscall: 'write',
    });
    expect(startErrorMessage(full, '/data')).toBe(
      '--data-dir=/data: no space is left on its disk (ENOSPC: no space left on device, write): make room there, or take another folder with --data-dir=DIR',
    );
  });
});

it('port 0 of the gateway is a free port before it is reported anywhere', async () => {
  const config = readConfig(['standalone', '--gateway-listen=127.0.0.1:0'], {});
  if (config.command !== 'standalone') throw new Error(config.command);
  const { gatewayListen } = await withGatewayPort(config);
  expect(gatewayListen).toEqual({ host: '127.0.0.1', port: expect.any(Number) });
  expect(gatewayListen.port).toBeGreaterThan(0);
});
