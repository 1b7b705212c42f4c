import { once } from 'node:events';

import { describe, expect, test } from '@jest/globals';

import { startChild, type Child } from '../../../src/process/child.js';
import { ManualClock } from '../../../testing/clock.js';

const clock = new ManualClock();

async function script(source: string): Promise<Child> {
  const child = await startChild({ command: [process.execPath, '--eval', source], env: {}, output: 'pipe' }, clock);
  await once(child.output, 'data');
  return child;
}

const IDLE = `setInterval(() => undefined, 1000); console.log('up');`;
const DEAF = `process.on('SIGTERM', () => console.log('no')); ${IDLE}`;

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
