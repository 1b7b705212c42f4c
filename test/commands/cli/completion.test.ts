import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { root } from '../../support/repository/root.js';

/** Completes a line as bash does when Tab is pressed behind it; prints a word a line. */
const PRESS_TAB = `
source <(multicluster-engine completion bash)
while IFS= read -r COMP_LINE; do
  COMP_POINT=\${#COMP_LINE}
  _multicluster_engine
  echo "$COMP_LINE -> \${COMPREPLY[*]}"
done
`;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'completion-'));
  const program = path.join(folder, 'multicluster-engine');
  writeFileSync(program, `#!/bin/sh\nexec '${process.execPath}' '${path.join(root, 'dist/src/main.js')}' "$@"\n`);
  chmodSync(program, 0o755);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('the script for bash', () => {
  it('bash completes commands, arguments and values of flags', () => {
    const expected = {
      'multicluster-engine who': 'who-selects',
      'multicluster-engine explain p': 'placement',
      'multicluster-engine explain placement web --near': '--nearest',
      'multicluster-engine explain placement web --output=y': 'yaml',
      'multicluster-engine explain placement web -o ': 'json yaml name wide',
    };
    const env = { PATH: `${folder}:${process.env['PATH'] ?? ''}`, HOME: folder };
    const { stdout } = spawnSync('bash', ['-c', PRESS_TAB], {
      env,
      encoding: 'utf8',
      input: `${Object.keys(expected).join('\n')}\n`,
      timeout: 60_000,
    });

    const lines = Object.entries(expected).map(([line, words]) => `${line} -> ${words}\n`);
    expect(stdout).toBe(lines.join(''));
  });
});
