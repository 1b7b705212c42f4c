import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { root } from '../support/repository/root.js';

/*
 * People put `dist/bin` on their PATH, as the pages say, and ran the tests: `make test` deleted `kubectl-mce.js` there, which no
 * TypeScript file belongs to, and every command ended in a stack of Node.
 * What is right: the tests delete only what was compiled from sources that are gone, and a program whose files are missing says
 * what makes them.
 */

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'plugin-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function write(file: string): string {
  const place = path.join(folder, file);
  mkdirSync(path.dirname(place), { recursive: true });
  writeFileSync(place, '');
  return place;
}

describe('what was made for the PATH', () => {
  it('the tests delete what was compiled from a source that is gone, and nothing that another tool has made', () => {
    const made = ['dist/bin/kubectl-mce.js', 'dist/bundle/main.js', 'dist/web/main-1.js', 'dist/install.yaml'];
    const kept = [...made, 'dist/src/main.js', 'dist/src/console/page.js', 'packages/cel/dist/src/cel.js'].map(write);
    for (const source of ['src/main.ts', 'src/console/page.tsx', 'packages/cel/src/cel.ts']) write(source);
    const gone = ['dist/test/gone.test.js', 'dist/test/gone.test.d.ts', 'packages/cel/dist/src/gone.js'].map(write);

    execFileSync(process.execPath, [path.join(root, 'test', 'prune.js')], { cwd: folder });

    expect(kept.filter((one) => !existsSync(one))).toEqual([]);
    expect(gone.filter((one) => existsSync(one))).toEqual([]);
  });

  it.each(['kubectl-mce', 'kubectl_complete-mce', 'multicluster-engine'])(
    '%s says in one line what makes it, when the compiled program is missing',
    (program) => {
      const plugin = path.join(folder, 'tools', 'plugin.sh');
      mkdirSync(path.dirname(plugin));
      execFileSync('cp', [path.join(root, 'tools', 'plugin.sh'), plugin]);
      execFileSync('bash', [plugin, path.join(folder, 'bin')]);

      const { status, stderr } = spawnSync(path.join(folder, 'bin', program), ['tree'], { encoding: 'utf8' });

      expect(status).toBe(1);
      expect(stderr).toMatch(new RegExp(`^${program}: /\\S+\\.js is missing: make plugin \\(in /\\S+\\)\\n$`));
    },
  );
});
