import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { root } from '../../../testing/root.js';
import { waitFor } from '../../../testing/wait.js';

const LIBRARY = path.join(root, 'testing', 'buildcache.sh');
const FOLDERS = (process.env['PATH'] ?? '').split(path.delimiter);

/** The path of a program; undefined where the machine does not have it. */
function find(name: string): string | undefined {
  return FOLDERS.map((folder) => path.join(folder, name)).find((file) => existsSync(file));
}

function isInstalled(name: string): boolean {
  return find(name) !== undefined;
}

describe('testing/buildcache.sh', () => {
  let folder: string;
  const children: ChildProcess[] = [];

  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'buildcache-'));
  });
  afterEach(async () => {
    await Promise.all(children.splice(0).map((child) => end(child)));
    rmSync(folder, { recursive: true, force: true });
  });

  async function end(child: ChildProcess): Promise<void> {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
  }

  /** A PATH with these programs only. */
  function pathWith(...names: readonly string[]): string {
    const bin = path.join(folder, 'bin');
    mkdirSync(bin, { recursive: true });
    for (const name of names) {
      const program = find(name);
      if (program !== undefined) symlinkSync(program, path.join(bin, name));
    }
    return bin;
  }

  const bash = find('bash') ?? 'bash';
  const script = (text: string): readonly string[] => [
    '--norc',
    '-c',
    `set -euo pipefail; source '${LIBRARY}'; ${text}`,
  ];
  const lines = (): readonly string[] => {
    const file = path.join(folder, 'log');
    return existsSync(file) ? readFileSync(file, 'utf8').trimEnd().split('\n') : [];
  };

  /** Writes `<name> waits`, takes the lock, writes `<name> holds` and ends when its input does. */
  function locker(name: string, PATH: string): ChildProcess {
    const text = `echo ${name} waits >>log; lock here.lock; echo ${name} holds >>log; read -r _ || true; echo ${name} ends >>log`;
    const child = spawn(bash, script(text), { cwd: folder, env: { PATH }, stdio: ['pipe', 'inherit', 'inherit'] });
    children.push(child);
    return child;
  }

  it.each(
    [
      ['sha256sum', 'cut'],
      ['shasum', 'cut', 'perl'],
    ].filter((names) => names.every(isInstalled)),
  )('the hash of a text is the same with the program %s', (...programs) => {
    const hash = execFileSync(bash, script('printf abc | sha256'), {
      env: { PATH: pathWith(...programs) },
      encoding: 'utf8',
    });

    expect(hash).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad\n');
  });

  it.each(['flock', 'perl'].filter(isInstalled))(
    'a script waits with %s for the one that holds the lock',
    async (program) => {
      const PATH = pathWith(program);
      const first = locker('first', PATH);
      await waitFor('the first to hold the lock', () => lines().includes('first holds'));
      locker('second', PATH).stdin?.end();
      await waitFor('the second to wait', () => lines().includes('second waits'));
      first.stdin?.end();
      await waitFor('the second to end', () => lines().includes('second ends'));

      expect(lines()).toEqual([
        'first waits',
        'first holds',
        'second waits',
        'first ends',
        'second holds',
        'second ends',
      ]);
    },
  );

  it.each(['flock', 'perl'].filter(isInstalled))(
    'a lock that is held with %s is released when its script is killed',
    async (program) => {
      const PATH = pathWith(program);
      const first = locker('first', PATH);
      await waitFor('the first to hold the lock', () => lines().includes('first holds'));
      await end(first);
      locker('second', PATH).stdin?.end();
      await waitFor('the second to end', () => lines().includes('second ends'));

      expect(lines()).toEqual(['first waits', 'first holds', 'second waits', 'second holds', 'second ends']);
    },
  );
});
