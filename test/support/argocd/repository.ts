import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** A Git repository in a folder. */
export class Repository {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
    mkdirSync(folder, { recursive: true });
    this.#git('init', '--quiet', '--initial-branch=main');
  }

  get url(): string {
    return `file://${this.#folder}`;
  }

  /** Commits these files, and no others below the folders in which they are; returns the commit. */
  commit(files: Readonly<Record<string, string>>): string {
    for (const name of Object.keys(files))
      rmSync(path.join(this.#folder, path.dirname(name)), { recursive: true, force: true });
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(path.join(this.#folder, path.dirname(name)), { recursive: true });
      writeFileSync(path.join(this.#folder, name), text);
    }
    this.#git('add', '--all');
    this.#git('-c', 'user.name=test', '-c', 'user.email=test@example.com', 'commit', '--quiet', '--message=change');
    return this.#git('rev-parse', 'HEAD').trim();
  }

  #git(...args: readonly string[]): string {
    // Neither the settings of the user nor those of the machine.
    const env = { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_SYSTEM: '/dev/null' };
    return execFileSync('git', args, { cwd: this.#folder, env, encoding: 'utf8' });
  }
}
