import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, symlinkSync } from 'node:fs';
import path from 'node:path';

import { linkPackages } from '../image/image.js';
import { root } from '../repository/root.js';

const AUTHOR = ['-c', 'user.name=test', '-c', 'user.email=test@example.com', '-c', 'commit.gpgsign=false'];

/**
 * A clone of the repository in `folder` in which the files are committed as they are now, with the installed packages, the
 * programs and what was compiled, so that a build in it installs and compiles nothing twice.
 */
export function committedClone(folder: string): void {
  git(root, 'clone', '--quiet', '--no-checkout', root, folder);
  git(folder, 'reset', '--quiet');
  const names = git(root, 'ls-files', '-z', '--cached', '--others', '--exclude-standard').split('\0');
  for (const name of names)
    if (name !== '' && existsSync(path.join(root, name))) cpSync(path.join(root, name), path.join(folder, name));
  git(folder, 'add', '--all');
  git(folder, ...AUTHOR, 'commit', '--quiet', '--allow-empty', '--no-verify', '--message', 'test: as it is now');
  linkPackages(folder);
  for (const name of ['dist', 'packages/cel/dist', 'packages/kube-apiserver/dist', 'packages/values/dist'])
    cpSync(path.join(root, name), path.join(folder, name), { recursive: true, preserveTimestamps: true });
  symlinkSync(path.join(root, '.bin'), path.join(folder, '.bin'));
}

/** Runs git in a folder, and returns what it prints. */
export function git(folder: string, ...args: readonly string[]): string {
  return execFileSync('git', ['-C', folder, ...args], { encoding: 'utf8', maxBuffer: 1 << 26 });
}
