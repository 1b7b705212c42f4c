import { closeSync, existsSync, mkdtempSync, openSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { waitFor } from '@multicluster-engine/kube-apiserver/testing/wait';

import { root } from '../../support/repository/root.js';
import {
  startGateway,
  startOperator,
  startStandalone,
  type CommandProcess,
  type StartCommand,
} from './commandprocess.js';
import { Fifo } from './fifo.js';

const MINUTE = 60_000;
const PROGRAM = path.join(root, 'dist', 'src', 'main.js');
const OBJECT = Array(6).fill('a'.repeat(40)).join('.');
/** Without a token the gateway rejects it by itself, with over 400 bytes in its access log. */
const TARGET = `/platform/apis/cluster.fleetmgmt.io/v1alpha1/namespaces/shop/placements/${OBJECT}`;

const COMMANDS: readonly (readonly [string, StartCommand])[] = [
  ['gateway', startGateway],
  ['operator', startOperator],
  ['standalone', startStandalone],
];

let folder: string;
let running: CommandProcess[] = [];
const opened: number[] = [];

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'output-'));
});
afterEach(() => {
  for (const { child } of running) child.kill('SIGKILL');
  for (const descriptor of opened.splice(0)) closeSync(descriptor);
  running = [];
  rmSync(folder, { recursive: true, force: true });
});

function toClose(descriptor: number): number {
  opened.push(descriptor);
  return descriptor;
}

interface OutputCase {
  /** Standard output and standard error of the process. */
  readonly stdio: number | 'pipe';
  readonly closed?: boolean;
  /** The exit code of the process after SIGTERM: 1 where lines are lost. */
  readonly exitCode: 0 | 1;
  /** Called when the process is ready. */
  readonly onReady?: () => void;
}

const OUTPUTS: readonly (readonly [string, () => OutputCase])[] = [
  ['on a full disk', () => ({ stdio: toClose(openSync('/dev/full', 'w')), exitCode: 1 })],
  ['closed', () => ({ stdio: 'pipe', closed: true, exitCode: 0 })],
  [
    'a full pipe that nobody reads',
    () => {
      const fifo = new Fifo(path.join(folder, 'fifo'));
      fifo.fill();
      return { stdio: toClose(fifo.writingEnd()), exitCode: 1 };
    },
  ],
  [
    'a pipe whose reader goes away',
    () => {
      const fifo = new Fifo(path.join(folder, 'fifo'));
      return { stdio: toClose(fifo.writingEnd()), exitCode: 1, onReady: () => fifo.close() };
    },
  ],
];

async function start(
  command: StartCommand,
  { stdio, closed = false }: Pick<OutputCase, 'stdio' | 'closed'>,
): Promise<CommandProcess> {
  const one = await command({ program: PROGRAM, folder, stdio: ['ignore', stdio, stdio], closed });
  running.push(one);
  await one.ready();
  return one;
}

/** Sends `count` requests over a few connections; returns the status codes that occurred. */
async function load(gateway: CommandProcess, count: number): Promise<readonly number[]> {
  const codes = new Set<number>();
  let left = count;
  const client = async (): Promise<void> => {
    while (left-- > 0) codes.add(await gateway.get(TARGET));
  };
  await Promise.all(Array.from({ length: 8 }, client));
  return [...codes];
}

function droppedIn(metrics: string): number {
  return Number(/^multicluster_log_dropped_lines_total (\d+)$/m.exec(metrics)?.[1]);
}

const describeOnFull = existsSync('/dev/full') ? describe : describe.skip;

describeOnFull('a command whose output cannot be written', () => {
  describe.each(COMMANDS)('%s', (name, command) => {
    // A standalone starts for seconds, and its lines go the same way: two outputs show its exit code.
    it.each(name === 'standalone' ? OUTPUTS.filter((_one, index) => index % 2 === 0) : OUTPUTS)(
      `${name} runs with standard output and error %s, and its exit code at SIGTERM says whether all lines are written`,
      async (_what, output) => {
        const opening = output();
        const process = await start(command, opening);
        opening.onReady?.();
        if (name === 'gateway') expect(await load(process, 300)).toEqual([403]);

        expect(await process.stop()).toBe(opening.exitCode);
      },
      2 * MINUTE,
    );
  });

  it(
    'a gateway whose output is a socket that nobody reads answers every request, and loses the lines that wait',
    async () => {
      const gateway = await start(startGateway, { stdio: 'pipe' });

      // More than the buffers of the socket hold.
      expect(await load(gateway, 1_200)).toEqual([403]);

      expect(await gateway.stop()).toBe(1);
    },
    2 * MINUTE,
  );

  it(
    'a gateway whose reader comes back reports the lines that it has dropped, once, and loses no other line',
    async () => {
      const fifo = new Fifo(path.join(folder, 'fifo'));
      const gateway = await start(startGateway, { stdio: toClose(fifo.writingEnd()) });
      // More than the pipe holds and than may wait.
      expect(await load(gateway, 3_000)).toEqual([403]);
      fifo.close();
      expect(await load(gateway, 10)).toEqual([403]);
      const dropped = droppedIn(await gateway.metrics());

      fifo.open();
      let text = '';
      await waitFor('the report', () => (text += fifo.read()).includes('log lines were dropped'));
      expect(await load(gateway, 10)).toEqual([403]);
      const exit = gateway.stop();
      await waitFor('the last line', () => (text += fifo.read()).includes('"msg":"stopped"'));

      const lines = text
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line));
      const report = lines.findIndex(({ msg }) => String(msg).startsWith('log lines were dropped'));
      expect(lines[report]).toMatchObject({ level: 'warn', lines: dropped });
      expect(lines.slice(report).filter(({ object }) => object === OBJECT)).toHaveLength(10);
      expect(dropped).toBeGreaterThan(0);
      expect(await exit).toBe(0);
    },
    2 * MINUTE,
  );

  it('a command line whose help or error cannot be printed ends with 1, and does not wait to report an error', async () => {
    const full = toClose(openSync('/dev/full', 'w'));
    const fifo = new Fifo(path.join(folder, 'fifo'));
    fifo.fill();
    const unread = toClose(fifo.writingEnd());
    const { spawnSync } = await import('node:child_process');
    const run = (args: readonly string[], output: number): number | null =>
      spawnSync(process.execPath, [PROGRAM, ...args], { stdio: ['ignore', output, output], timeout: MINUTE }).status;

    expect(run(['--help'], full)).toBe(1);
    expect(run(['--unknown'], full)).toBe(1);
    expect(run(['--unknown'], unread)).toBe(1);
    expect(run(['operator', '--kubeconfig=/missing'], full)).toBe(1);
    expect(run(['operator', '--kubeconfig=/missing'], unread)).toBe(1);
  });
});
