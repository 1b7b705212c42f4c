import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { root } from '../support/repository/root.js';

describe('the summary of a results folder', () => {
  let folder = '';

  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'multicluster-engine-summary-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  function ran(name: string, exit: number, counts?: Readonly<Record<string, number>>): void {
    writeFileSync(path.join(folder, `${name}.exit`), `${exit}\n`);
    const report = {
      numPassedTests: 0,
      numFailedTests: 0,
      numRuntimeErrorTestSuites: 0,
      numPendingTests: 0,
      numTotalTestSuites: 1,
      startTime: 1_000,
      testResults: [{ endTime: 13_400 }],
      ...counts,
    };
    if (counts !== undefined) writeFileSync(path.join(folder, `${name}.json`), JSON.stringify(report));
  }

  function summary(): { readonly code: number | null; readonly lines: readonly string[] } {
    const { status, stdout } = spawnSync(process.execPath, [path.join(root, 'test', 'summary.js'), folder], {
      encoding: 'utf8',
    });
    return { code: status, lines: stdout.trim().split('\n') };
  }

  it('the summary of a results folder adds up Jest runs and programs', () => {
    ran('e2e', 0, { numPassedTests: 3, numPendingTests: 1 });
    ran('mutants', 0);

    expect(summary()).toEqual({
      code: 0,
      lines: [
        'e2e: 3 passed, 0 failed, 1 skipped in 12 s',
        'mutants: 1 passed, 0 failed',
        '4 passed, 0 failed, 1 skipped',
      ],
    });
  });

  it('the summary of a results folder counts a file that did not load, a missed gate and a failed program as a failure each', () => {
    ran('a', 1, { numPassedTests: 3, numRuntimeErrorTestSuites: 1 });
    ran('b', 1, { numPassedTests: 3 });
    ran('c', 2);

    expect(summary()).toMatchObject({ code: 1, lines: expect.arrayContaining(['6 passed, 3 failed']) });
  });

  it('the summary of a results folder fails where nothing ran', () => {
    expect(summary()).toEqual({ code: 1, lines: ['0 passed, 0 failed'] });
  });
});
