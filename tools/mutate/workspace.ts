import { spawn } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const JEST = ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning'];
/** Nothing starts or stops servers: only tests that need none run here. */
const CONFIG = `export default {
  testEnvironment: 'node',
  roots: ['<rootDir>/dist'],
  testMatch: ['<rootDir>/dist/test/**/*.test.js'],
  transform: {},
  testTimeout: 30_000,
};
`;

export type Outcome =
  | { readonly kind: 'passed' }
  | { readonly kind: 'timeout' }
  /** `output`: what jest says of it. */
  | { readonly kind: 'failed'; readonly output: string };

/** A copy of the compiled product in which files may be changed; all else in it is linked to the root. */
export class Workspace {
  readonly folder: string;

  private constructor(folder: string) {
    this.folder = folder;
  }

  /** Makes the copy in `folder`, anew. */
  static create(root: string, folder: string): Workspace {
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    for (const name of readdirSync(root)) {
      if (name === 'dist' || name === '.run' || name === '.git') continue;
      symlinkSync(path.join(root, name), path.join(folder, name));
    }
    cpSync(path.join(root, 'dist'), path.join(folder, 'dist'), { recursive: true });
    writeFileSync(path.join(folder, 'jest.mutants.js'), CONFIG);
    return new Workspace(folder);
  }

  /** Runs `work` while `file` has the text, and puts the former text back. */
  async with<T>(file: string, text: string, work: () => Promise<T>): Promise<T> {
    const target = path.join(this.folder, file);
    const before = readFileSync(target, 'utf8');
    writeFileSync(target, text);
    try {
      return await work();
    } finally {
      writeFileSync(target, before);
    }
  }

  /** Runs test files in a process of their own, up to the first that fails. */
  run(files: readonly string[], timeoutMs: number): Promise<Outcome> {
    const jest = path.join(this.folder, 'node_modules/jest/bin/jest.js');
    const options = [
      '--config',
      'jest.mutants.js',
      '--runInBand',
      '--bail',
      '--forceExit',
      '--silent',
      '--runTestsByPath',
    ];
    return new Promise((resolve, reject) => {
      const child = spawn(process.execPath, [...JEST, jest, ...options, ...files], {
        cwd: this.folder,
        stdio: ['ignore', 'ignore', 'pipe'],
        timeout: timeoutMs,
        killSignal: 'SIGKILL',
      });
      let output = '';
      child.stderr.setEncoding('utf8').on('data', (text: string) => (output += text));
      child.on('error', reject);
      child.on('close', (code, signal) => {
        if (signal !== null) resolve({ kind: 'timeout' });
        else resolve(code === 0 ? { kind: 'passed' } : { kind: 'failed', output });
      });
    });
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}
