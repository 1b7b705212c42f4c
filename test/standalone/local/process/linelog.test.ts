import { PassThrough } from 'node:stream';

import { describe, expect, it } from '@jest/globals';

import { ContainerLogs, LineLog, type LineSelection } from '../../../../src/standalone/local/process/containerlogs.js';
import { ManualClock, settle } from '@multicluster-engine/kube-apiserver/testing/clock';

const signal = new AbortController().signal;
const ALL: LineSelection = { follow: false, tailLines: undefined, since: undefined, signal };

function logOf(...chunks: readonly string[]): LineLog {
  const log = new LineLog();
  for (const [at, chunk] of chunks.entries()) log.append(Buffer.from(chunk), at + 1);
  return log;
}

async function linesOf(log: LineLog, selection: Partial<LineSelection> = {}): Promise<string[]> {
  const found: string[] = [];
  for await (const { text } of log.read({ ...ALL, ...selection })) found.push(text);
  return found;
}

describe('the lines of a process', () => {
  it('chunks are split into lines, with the time of their last chunk', async () => {
    const log = logOf('one\nt', 'wo\n', 'th');
    const euro = Buffer.from('€\n');
    log.append(euro.subarray(0, 1), 4);
    log.append(euro.subarray(1), 5);
    const found = [];
    for await (const line of log.read(ALL)) found.push(line);
    expect(found).toEqual([
      { time: 1, text: 'one\n' },
      { time: 2, text: 'two\n' },
      { time: 5, text: 'th€\n' },
    ]);
  });

  it('a line without a line feed is known at the end of the output', async () => {
    const log = logOf('one\ntwo');
    expect(await linesOf(log)).toEqual(['one\n']);
    log.end(9);
    log.end(9);
    expect(await linesOf(log)).toEqual(['one\n', 'two']);
  });

  it.each<[Partial<LineSelection>, string[]]>([
    [{ tailLines: 2 }, ['3\n', '4\n']],
    [{ tailLines: 0 }, []],
    [{ tailLines: 9 }, ['1\n', '2\n', '3\n', '4\n']],
    [{ since: 3 }, ['3\n', '4\n']],
    [{ since: 5 }, []],
    [{ tailLines: 3, since: 4 }, ['4\n']],
  ])('%j selects %j', async (selection, lines) => {
    expect(await linesOf(logOf('1\n', '2\n', '3\n', '4\n'), selection)).toEqual(lines);
  });

  it('a long line is kept in parts, which count as one line', async () => {
    const log = logOf('first\n', `${'x'.repeat(40_000)}\n`);
    expect((await linesOf(log)).map(({ length }) => length)).toEqual([6, 16_384, 16_384, 7_233]);
    expect((await linesOf(log, { tailLines: 1 })).map(({ length }) => length)).toEqual([16_384, 16_384, 7_233]);
    expect(await linesOf(log, { tailLines: 2 })).toHaveLength(4);
  });

  it('the oldest lines are dropped beyond the limit, the newest is kept', async () => {
    const log = new LineLog(10);
    for (const text of ['aaaa\n', 'bbbb\n', 'cccc\n']) log.append(Buffer.from(text), 1);
    expect(await linesOf(log)).toEqual(['bbbb\n', 'cccc\n']);
    log.append(Buffer.from(`${'d'.repeat(20)}\n`), 1);
    expect(await linesOf(log, { tailLines: 5 })).toEqual([`${'d'.repeat(20)}\n`]);
  });

  it('a reader that follows gets later lines, and ends with the output', async () => {
    const log = logOf('1\n', '2\n');
    const lines = linesOf(log, { follow: true, tailLines: 1 });
    await settle();
    log.append(Buffer.from('3\n'), 3);
    await settle();
    log.append(Buffer.from('4'), 4);
    log.end(5);
    expect(await lines).toEqual(['2\n', '3\n', '4']);
  });

  it('a reader that follows ends when its client leaves', async () => {
    const client = new AbortController();
    const log = logOf('1\n');
    const lines = linesOf(log, { follow: true, signal: client.signal });
    await settle();
    client.abort();
    expect(await lines).toEqual(['1\n']);
  });

  it('a reader that falls behind continues with the oldest line that is left', async () => {
    const log = new LineLog(4);
    log.append(Buffer.from('1\n2\n'), 1);
    const reader = log.read({ ...ALL, follow: true });
    expect((await reader.next()).value).toMatchObject({ text: '1\n' });
    log.append(Buffer.from('3\n4\n5\n'), 2);
    log.end(3);
    expect((await reader.next()).value).toMatchObject({ text: '4\n' });
  });
});

describe('the logs of containers', () => {
  const request = { ...ALL, namespace: 'n', pod: 'p', container: 'c' };
  const read = async (logs: ContainerLogs, containerID: string): Promise<string[] | undefined> => {
    const lines = logs.open({ ...request, containerID });
    if (lines === undefined) return undefined;
    const found: string[] = [];
    for await (const { text } of lines) found.push(text);
    return found;
  };

  it('the output of the current and of the previous run of a pod is kept until the pod is removed', async () => {
    const logs = new ContainerLogs(new ManualClock());
    for (const id of ['p/0', 'p/1', 'p/2']) {
      const output = new PassThrough();
      logs.record('n/p', id, output);
      output.end(`of ${id}\n`);
    }
    await settle();
    expect(await Promise.all(['p/0', 'p/1', 'p/2', 'other'].map((id) => read(logs, id)))).toEqual([
      undefined,
      ['of p/1\n'],
      ['of p/2\n'],
      undefined,
    ]);
    logs.forget('n/p');
    expect(await read(logs, 'p/2')).toBe(undefined);
  });
});
