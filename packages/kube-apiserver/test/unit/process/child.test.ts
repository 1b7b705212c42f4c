import { once } from 'node:events';
import { readFileSync } from 'node:fs';

import { describe, expect, test } from '@jest/globals';

import { startChild, type Child } from '../../../src/process/child.js';
import { ManualClock } from '../../../testing/clock.js';
import { waitFor } from '../../../testing/wait.js';

const clock = new ManualClock();

async function script(source: string): Promise<Child> {
  const child = await startChild({ command: [process.execPath, '--eval', source], env: {}, output: 'pipe' }, clock);
  await once(child.output, 'data');
  return child;
}

const IDLE = `setInterval(() => undefined, 1000); console.log('up');`;
const DEAF = `process.on('SIGTERM', () => console.log('no')); ${IDLE}`;

/** A program that starts a child, waits for its end, starts another one and prints the pid of that. */
function parentOfTwo(module: string): string {
  return `
    import { startChild } from ${JSON.stringify(module)};
    const start = (source) => startChild({ command: [process.execPath, '--eval', source], env: {}, output: 'pipe' });
    await (await start('')).exited;
    console.log((await start(${JSON.stringify(IDLE)})).pid);
  `;
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    // A zombie has ended; the process that adopted it has not noticed yet.
    return !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}

describe('a child process', () => {
  test('a child process that ends by itself has an exit code', async () => {
    const child = await script(`console.log('up'); process.exitCode = 3;`);

    expect(await child.exited).toEqual({ code: 3, signal: null });
    expect(child.exit()).toEqual({ code: 3, signal: null });
    expect(child.kill('SIGTERM')).toBe(false);
  });

  test('a running child process has no exit', async () => {
    const child = await script(IDLE);

    expect(child.exit()).toBeUndefined();
    expect(child.kill('SIGKILL')).toBe(true);
    expect(await child.exited).toEqual({ code: null, signal: 'SIGKILL' });
  });

  test('a child process that handles SIGTERM is stopped by it', async () => {
    const child = await script(IDLE);

    expect(await child.stop()).toEqual({ code: null, signal: 'SIGTERM' });
    expect(clock.pending).toBe(0);
  });

  test('a child process is killed after the grace period of 10 s', async () => {
    const child = await script(DEAF);

    const stopped = child.stop();
    await once(child.output, 'data');
    await clock.advance(9_999);
    expect(child.exit()).toBeUndefined();
    await clock.advance(1);

    expect(await stopped).toEqual({ code: null, signal: 'SIGKILL' });
  });

  test('a child process is killed with its parent, also when the parent had another child before', async () => {
    const module = new URL('../../../src/process/child.js', import.meta.url).href;
    const parent = await startChild(
      {
        command: [process.execPath, '--input-type=module', '--eval', parentOfTwo(module)],
        env: {},
        output: 'pipe',
      },
      clock,
    );
    const [chunk] = (await once(parent.output, 'data')) as [Buffer];
    const pid = Number(String(chunk));

    parent.kill('SIGKILL');
    await parent.exited;

    await waitFor('the child to be killed', () => !isRunning(pid));
  });

  test('stdout and stderr of a child process are one stream that ends', async () => {
    const child = await startChild(
      { command: ['/bin/sh', '-c', 'echo out; echo err >&2'], env: {}, output: 'pipe' },
      clock,
    );
    const lines: string[] = [];
    for await (const chunk of child.output) lines.push(...String(chunk).trim().split('\n'));

    expect(lines.sort()).toEqual(['err', 'out']);
  });
});
