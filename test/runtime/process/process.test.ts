import { spawn, type ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from '@jest/globals';

const program = fileURLToPath(new URL('../../support/processes/lifecycle.js', import.meta.url));
const children: ChildProcess[] = [];

afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

interface Ended {
  readonly code: number | null;
  readonly messages: readonly string[];
  readonly stderr: string;
}

/** Runs the program; each time it logs a message that `signals` names, sends it that signal. Resolves when it has ended. */
function run(pass: string, signals: Readonly<Record<string, NodeJS.Signals>> = {}): Promise<Ended> {
  const child = spawn(process.execPath, [program, pass], { stdio: ['ignore', 'pipe', 'pipe'] });
  children.push(child);
  const messages: string[] = [];
  let stderr = '';
  createInterface({ input: child.stdout }).on('line', (line) => {
    const { msg } = JSON.parse(line) as { msg: string };
    messages.push(msg);
    const signal = signals[msg];
    if (signal !== undefined) child.kill(signal);
  });
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, messages, stderr })));
}

describe('a process', () => {
  it.each<NodeJS.Signals>(['SIGTERM', 'SIGINT'])(
    'a process ends with 0 after %s, the lease released after the last pass',
    async (signal) => {
      expect(await run('slow', { 'pass begins': signal })).toEqual({
        code: 0,
        messages: [
          'caches synced',
          'lease held',
          'pass begins',
          'signal received, shutting down',
          'pass ended',
          'lease released',
          'group ended',
        ],
        stderr: '',
      });
    },
    180_000,
  );

  it('a process ends with 1 at the second signal, without waiting for the pass', async () => {
    const { code, messages } = await run('endless', {
      'pass begins': 'SIGTERM',
      'signal received, shutting down': 'SIGINT',
    });

    expect(code).toBe(1);
    expect(messages.at(-1)).toBe('second signal, exiting at once');
  }, 180_000);

  it.each(['rejection', 'exception'])(
    'a process ends with 1 after one log line at an unhandled %s in a pass',
    async (pass) => {
      const { code, messages, stderr } = await run(pass);

      expect(code).toBe(1);
      expect(messages.filter((message) => message === 'crashed, exiting')).toHaveLength(1);
      expect(messages).not.toContain('lease released');
      expect(stderr).toBe('');
    },
    180_000,
  );
});
