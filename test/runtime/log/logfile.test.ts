import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { openLogFile } from '../../../src/runtime/log/linewriter.js';
import { ManualClock } from '@multicluster-engine/kube-apiserver/testing/clock';

/** A device that answers every write as a full disk does. */
const FULL = '/dev/full';
const onFull = existsSync(FULL) ? it : it.skip;

const clock = new ManualClock();
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'logfile-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('a log file', () => {
  it('a log file has mode 0600 and is appended to', () => {
    const file = path.join(folder, 'a.log');
    openLogFile(file, clock).write('one\n');
    openLogFile(file, clock).write('two\n');
    expect(readFileSync(file, 'utf8')).toBe('one\ntwo\n');
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  onFull('on a full disk loses its lines and nothing else', () => {
    const log = openLogFile(FULL, clock);
    expect(() => {
      log.write('one\n');
      log.write('two\n');
    }).not.toThrow();
  });

  it('a log file that cannot be opened is an error at once', () => {
    const file = path.join(folder, 'file');
    writeFileSync(file, '');
    expect(() => openLogFile(path.join(file, 'a.log'), clock)).toThrow(/ENOTDIR/);
  });
});
