import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { root } from './support/repository/root.js';

const COMPILER = path.join(root, 'node_modules/typescript/bin/tsc');
const SCRIPT =
  /"build": "tsc ([^&"]*?)(?: && [^"]*)?"/.exec(readFileSync(path.join(root, 'package.json'), 'utf8'))?.[1] ?? '';

/** What the build script calls the compiler with, on a project of two files. */
describe('npm run build', () => {
  let folder = '';
  const at = (file: string): string => path.join(folder, file);
  const built = (file: string): string => readFileSync(at(`dist/src/${file}`), 'utf8');

  function build(): string {
    try {
      return execFileSync(process.execPath, [COMPILER, ...SCRIPT.split(' ')], { cwd: folder, encoding: 'utf8' });
    } catch (error) {
      return typeof error === 'object' && error !== null && 'stdout' in error ? String(error.stdout) : String(error);
    }
  }

  function options(more: object): void {
    writeFileSync(
      at('tsconfig.json'),
      JSON.stringify({
        compilerOptions: {
          target: 'es2023',
          module: 'nodenext',
          types: [],
          rootDir: '.',
          outDir: 'dist',
          strict: true,
          ...more,
        },
        include: ['src'],
      }),
    );
  }

  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'multicluster-engine-build-'));
    mkdirSync(at('src'));
    writeFileSync(at('package.json'), '{"type":"module"}');
    writeFileSync(at('src/a.ts'), 'export const a = 1;\n');
    writeFileSync(at('src/b.ts'), "import { a } from './a.js';\nexport const b: number = a;\n");
    options({});
    expect(build()).toBe('');
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('npm run build writes no file where nothing has changed', () => {
    const before = statSync(at('dist/src/a.js')).mtimeMs;

    expect(build()).toBe('');
    expect(statSync(at('dist/src/a.js')).mtimeMs).toBe(before);
  });

  it('npm run build compiles changed files, and reports an error again until it is fixed', () => {
    writeFileSync(at('src/a.ts'), "export const a = 'text';\n");
    const failed = build();
    const again = build();
    writeFileSync(at('src/a.ts'), 'export const a = 2;\n');

    expect(failed).toContain("src/b.ts(2,14): error TS2322: Type 'string' is not assignable to type 'number'.");
    expect([again, build(), built('a.js')]).toEqual([failed, '', 'export const a = 2;\n']);
  });

  it('npm run build compiles everything where dist is missing', () => {
    rmSync(at('dist'), { recursive: true });

    expect([build(), built('a.js')]).toEqual(['', 'export const a = 1;\n']);
  });

  it('npm run build compiles everything where the options have changed', () => {
    options({ sourceMap: true });

    expect([build(), built('a.js')]).toEqual(['', 'export const a = 1;\n//# sourceMappingURL=a.js.map']);
  });
});
