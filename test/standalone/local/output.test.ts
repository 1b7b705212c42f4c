import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { ContainerLogs, lastLineIn, lastLineOf, type LineSelection } from '../../../src/standalone/local/output.js';
import { ManualClock } from '@multicluster-engine/kube-apiserver/testing/clock';
import { waitFor } from '@multicluster-engine/kube-apiserver/testing/wait';

const signal = new AbortController().signal;
const ALL: LineSelection = { follow: false, tailLines: undefined, since: undefined, signal };

let folder: string;
let file: string;
let clock: ManualClock;
let logs: ContainerLogs;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'output-'));
  file = path.join(folder, 'n.web.log');
  clock = new ManualClock();
  logs = new ContainerLogs(clock);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Starts a run of the pod `n/p` that has printed `text`; returns the function that ends it. */
async function run(containerID: string, text: string): Promise<() => void> {
  let isOver = false;
  await logs.rotate('n/p', file);
  writeFileSync(file, text);
  logs.add('n/p', { containerID, file, isOver: () => isOver });
  return () => (isOver = true);
}

async function read(containerID: string, selection: Partial<LineSelection> = {}): Promise<string[] | undefined> {
  const lines = logs.open({ ...ALL, ...selection, namespace: 'n', pod: 'p', container: 'c', containerID });
  if (lines === undefined) return undefined;
  const found: string[] = [];
  for await (const { text } of lines) found.push(text);
  return found;
}

describe('the log of a container', () => {
  const at = (second: number): string => `{"ts":"2026-11-21T10:00:0${second}.000Z","msg":"${second}"}\n`;
  const since = (second: number): number => Date.parse(`2026-11-21T10:00:0${second}Z`);

  it.each<[string, Partial<LineSelection>, string[]]>([
    ['nothing selects all lines', {}, [at(1), at(2), 'no JSON\n', at(4)]],
    ['a number selects the last lines', { tailLines: 2 }, ['no JSON\n', at(4)]],
    ['zero selects no line', { tailLines: 0 }, []],
    ['a large number selects all lines', { tailLines: 9 }, [at(1), at(2), 'no JSON\n', at(4)]],
    ['a line without a time has that of the line before it', { since: since(2) }, [at(2), 'no JSON\n', at(4)]],
    ['a later time selects no line', { since: since(5) }, []],
    ['a time selects among the last lines', { tailLines: 3, since: since(4) }, [at(4)]],
  ])('%s', async (_what, selection, lines) => {
    await run('r0', [at(1), at(2), 'no JSON\n', at(4)].join(''));
    expect(await read('r0', selection)).toEqual(lines);
  });

  it('the lines of JSON logs have the times that are in them', async () => {
    await run('r0', at(3));
    for await (const { time } of logs.open({ ...ALL, namespace: 'n', pod: 'p', container: 'c', containerID: 'r0' }) ??
      [])
      expect(time).toBe(since(3));
  });

  it('a text beyond one part, and its characters, are read as they were written', async () => {
    const text = `first\n${'€'.repeat(50_000)}\nlast`;
    await run('r0', text);
    expect(await read('r0')).toEqual(['first\n', `${'€'.repeat(50_000)}\n`, 'last']);
  });

  it('a reader that follows gets later lines, and ends with the process', async () => {
    const end = await run('r0', '1\n2\n');
    const lines: string[] = [];
    const reading = (async () => {
      for await (const { text } of logs.open({
        ...ALL,
        follow: true,
        tailLines: 1,
        namespace: 'n',
        pod: 'p',
        container: 'c',
        containerID: 'r0',
      }) ?? [])
        lines.push(text);
    })();
    await waitFor('the line that is there', () => lines.length === 1);
    appendFileSync(file, '3\n4');
    end();
    await waitFor('the rest', async () => {
      await clock.advance(250);
      return lines.length === 3;
    });
    await reading;
    expect(lines).toEqual(['2\n', '3\n', '4']);
  });

  it('a reader that follows ends when its client leaves', async () => {
    const client = new AbortController();
    await run('r0', '1\n');
    const lines = read('r0', { follow: true, signal: client.signal });
    client.abort();
    expect((await lines)?.length).toBeLessThanOrEqual(1);
  });

  it('the output of the current and of the previous run of a pod is kept until the pod is removed', async () => {
    for (const id of ['r0', 'r1', 'r2']) await run(id, `of ${id}\n`);
    expect(await Promise.all(['r0', 'r1', 'r2', 'other'].map((id) => read(id)))).toEqual([
      undefined,
      ['of r1\n'],
      ['of r2\n'],
      undefined,
    ]);
    logs.forget('n/p');
    expect(await read('r2')).toBe(undefined);
    expect(readFileSync(file, 'utf8')).toBe('of r2\n');
  });
});

const UNCAUGHT = `node:events:497
      throw er; // Unhandled 'error' event
      ^

Error: listen EADDRINUSE: address already in use 127.0.0.1:8443
    at Server.setupListenHandle [as _listen2] (node:net:1940:16)
Emitted 'error' event on Server instance at:
    at emitErrorNT (node:net:1919:8) {
  code: 'EADDRINUSE'
}

Node.js v22.1.0
`;

describe('the last line of the output of a process', () => {
  it.each([
    ['nothing', '', ''],
    ['one line', 'hello\n', 'hello'],
    ['a line without its end', 'first\nlast', 'last'],
    ['blank lines after it', 'last\r\n\n  \n', 'last'],
    ['control characters', 'a\tb\u001b[31mc\n', 'a b [31mc'],
    ['a line of a JSON log', '{"level":"info","msg":"listening"}\n', 'listening'],
    [
      'an error in a JSON log',
      '{"level":"error","err":{"message":"listen EADDRINUSE: x"},"msg":"cannot listen"}\n',
      'cannot listen: listen EADDRINUSE: x',
    ],
    [
      'a reason in a JSON log',
      '{"level":"error","reason":"listen EADDRINUSE: x","msg":"cannot start"}\n',
      'cannot start: listen EADDRINUSE: x',
    ],
    ['an error that is a text', '{"msg":"no","err":"why"}\n', 'no: why'],
    ['JSON that says nothing', '{"a":1}\n', '{"a":1}'],
    ['JSON that is cut', '{"msg":"lo\n', '{"msg":"lo'],
    ['an error that nobody caught', UNCAUGHT, 'Error: listen EADDRINUSE: address already in use 127.0.0.1:8443'],
    ['more than fits', 'x'.repeat(1000), `${'x'.repeat(297)}…`],
  ])('the last line of the output of a process is found: %s', (_name, text, line) => {
    expect(lastLineOf(text)).toBe(line);
  });

  it('the last line of a log is found at its end, and is empty where there is no log', async () => {
    writeFileSync(file, `${'x\n'.repeat(20_000)}last\n`);
    expect([await lastLineIn(file), await lastLineIn(path.join(folder, 'none'))]).toEqual(['last', '']);
  });
});
