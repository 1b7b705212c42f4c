import { readdirSync, readFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { expect, it } from '@jest/globals';

import { describeWithBuiltProgram } from '../support/programs/built.js';
import { root } from '../support/repository/root.js';

const FOLDER = path.join(root, '.github', 'workflows');
/** The workflow of a fleet repository, which users copy. */
const EXAMPLE = path.join(root, 'examples', 'gitops', '.github', 'workflows', 'plan.yml');

describeWithBuiltProgram('actionlint', 'actionlint', (run) => {
  it('actionlint finds no fault in the workflows', () => {
    const files = readdirSync(FOLDER).map((file) => path.join(FOLDER, file));

    expect(files.length).toBeGreaterThanOrEqual(2);
    expect(run(['-no-color', ...files, EXAMPLE])).toMatchObject({ code: 0, output: '' });
  });

  it('actionlint reports a job that needs an unknown one', () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'workflows-'));
    try {
      const file = path.join(folder, 'release.yml');
      const text = readFileSync(path.join(FOLDER, 'release.yml'), 'utf8');
      writeFileSync(file, text.replace('needs: check', 'needs: chek'));
      expect(run(['-no-color', file])).toMatchObject({ code: 1, output: expect.stringContaining('chek') });
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
