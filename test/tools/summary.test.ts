import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { root } from '../support/repository/root.js';

/** Test file → status by test; a file without tests did not load. */
type Files = Readonly<Record<string, Readonly<Record<string, 'passed' | 'failed' | 'pending'>>>>;

describe('the summary of a results folder', () => {
  let folder = '';

  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'multicluster-engine-summary-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const write = (name: string, text: string): void => writeFileSync(path.join(folder, name), text);

  function report(name: string, files: Files): void {
    const testResults = Object.entries(files).map(([file, tests]) => {
      const assertionResults = Object.entries(tests).map(([fullName, status]) => ({ fullName, status }));
      const isFailed = assertionResults.length === 0 || assertionResults.some(({ status }) => status === 'failed');
      return { name: path.resolve(file), status: isFailed ? 'failed' : 'passed', assertionResults, endTime: 13_400 };
    });
    write(`${name}.json`, JSON.stringify({ startTime: 1_000, testResults }));
  }

  function ran(name: string, exit: number, files?: Files): void {
    write(`${name}.exit`, `${exit}\n`);
    if (files !== undefined) report(name, files);
  }

  function summary(...args: string[]): { readonly code: number | null; readonly lines: readonly string[] } {
    const program = path.join(root, 'test', 'summary.js');
    const { status, stdout } = spawnSync(process.execPath, [program, ...args], { encoding: 'utf8' });
    return { code: status, lines: stdout.trim().split('\n') };
  }

  const counts = (): ReturnType<typeof summary> => summary('counts', folder);

  it('the summary adds up Jest runs and programs', () => {
    ran('e2e', 0, { 'a.test.js': { one: 'passed', two: 'passed' }, 'b.test.js': { three: 'passed', four: 'pending' } });
    ran('mutants', 0);

    expect(counts()).toEqual({
      code: 0,
      lines: [
        'e2e: 3 passed, 0 failed, 1 skipped in 12 s',
        'mutants: 1 passed, 0 failed',
        '4 passed, 0 failed, 1 skipped',
      ],
    });
  });

  it('the summary counts a file that did not load, a missed gate and a failed program as a failure each', () => {
    ran('a', 1, { 'a.test.js': { one: 'passed' }, 'b.test.js': {} });
    ran('b', 1, { 'a.test.js': { one: 'passed' } });
    ran('c', 2);

    expect(counts()).toMatchObject({ code: 1, lines: expect.arrayContaining(['2 passed, 3 failed']) });
  });

  it('the summary fails where nothing ran', () => {
    expect(counts()).toEqual({ code: 1, lines: ['0 passed, 0 failed'] });
  });

  it('the summary names the tests that failed and passed when run again, and counts those that failed twice', () => {
    ran('a', 1, {
      'a.test.js': { one: 'failed', two: 'passed' },
      'b.test.js': { three: 'failed' },
      'c.test.js': {},
      'd.test.js': { five: 'passed' },
    });
    report('a.again', {
      'a.test.js': { one: 'passed', two: 'passed' },
      'b.test.js': { three: 'failed' },
      'c.test.js': { four: 'passed' },
    });

    expect(counts()).toEqual({
      code: 1,
      lines: [
        'flaky, failed and then passed: a.test.js: one',
        'flaky, failed and then passed: c.test.js: did not load',
        'a: 4 passed, 1 failed in 12 s',
        '4 passed, 1 failed',
      ],
    });
  });

  it('the summary passes where every failed file passed when it ran again, unless a coverage gate was missed', () => {
    ran('a', 1, { 'a.test.js': { one: 'failed' } });
    report('a.again', { 'a.test.js': { one: 'passed' } });
    write('a.log', 'Tests: 1 failed, 1 total\n');
    expect(counts()).toMatchObject({ code: 0, lines: expect.arrayContaining(['1 passed, 0 failed']) });

    write('a.log', 'Jest: Coverage for lines (94%) does not meet "./dist/src/index/" threshold (95%)\n');
    expect(counts()).toMatchObject({ code: 1, lines: expect.arrayContaining(['1 passed, 1 failed']) });
  });

  it('the summary lists the failed test files of a report, and none where there is no report', () => {
    report('a', { 'a.test.js': { one: 'failed' }, 'b.test.js': { two: 'passed' }, 'audit.js': { three: 'failed' } });

    expect(summary('failed-files', path.join(folder, 'a.json')).lines).toEqual([path.resolve('a.test.js')]);
    expect(summary('failed-files', path.join(folder, 'b.json'))).toEqual({ code: 0, lines: [''] });
  });
});
