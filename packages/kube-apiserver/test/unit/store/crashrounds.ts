import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect } from '@jest/globals';
import { openStore } from '../../../src/store/open.js';
import { Compacted, type Store } from '../../../src/store/store.js';
import { systemClock } from '../../../src/clock.js';
import { dataOf, put } from './things.js';

interface Tried {
  readonly revision: number;
  readonly type: string;
  readonly key: string;
  readonly data: string;
}

/** The output of all children, in order of revisions. */
interface ChildRecord {
  tried: Tried[];
  /** The newest revision that was acknowledged, sent to a watcher, or read after opening. */
  seen: number;
  answered: number;
}

const CHILD = fileURLToPath(new URL('./crashchild.js', import.meta.url));
const WATCHES = 25;

/**
 * Rounds of kill -9 on one folder; after each, all acknowledged writes must be there. Returns the number of
 * acknowledged writes and the ms that children wrote.
 */
export async function crashRounds(rounds: number): Promise<{ answered: number; ms: number }> {
  const folder = await mkdtemp(path.join(tmpdir(), 'store-crash-'));
  const record: ChildRecord = { tried: [], seen: 1, answered: 0 };
  let ms = 0;
  try {
    for (let round = 0; round < rounds; round++) {
      ms += await runChild(folder, round, record);
      const store = await openStore({ folder, clock: systemClock, onFatal: (error) => expect(error).toBeUndefined() });
      check(store, record);
      const { revision, key } = await put(store, `parent${round % 10}`, `round ${round}`);
      record.tried.push({ revision, type: 'put', key, data: `round ${round}` });
      record.seen = revision;
      await store.close();
    }
    return { answered: record.answered, ms };
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Lets a child write until it has a number of acknowledgements, different in each round, and kills it. */
async function runChild(folder: string, round: number, record: ChildRecord): Promise<number> {
  const answers = 100 + ((round * 7919) % 1500);
  const child = spawn(process.execPath, [CHILD, folder, String(round)], { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(child, 'close');
  let begun = 0;
  let acknowledged = 0;
  for await (const line of createInterface({ input: outputOf(child) })) {
    const [word = '', first = '', type = '', key = '', data = ''] = line.split(' ');
    const revision = Number(first);
    if (word === 'open') begun = performance.now();
    if (word === 'open') expect(revision).toBe(record.seen);
    if (word === 'try') record.tried.push({ revision, type, key, data });
    if (word === 'watched' || word === 'ack') record.seen = Math.max(record.seen, revision);
    if (word !== 'ack') continue;
    record.answered += 1;
    acknowledged += 1;
    if (acknowledged === answers) child.kill('SIGKILL');
  }
  const ms = performance.now() - begun;
  expect(await ended).toEqual([null, 'SIGKILL']);
  return ms;
}

function outputOf(child: ChildProcess): NonNullable<ChildProcess['stdout']> {
  if (child.stdout === null) throw new Error('the child has no output');
  return child.stdout;
}

function check(store: Store, record: ChildRecord): void {
  expect(store.revision).toBeGreaterThanOrEqual(record.seen);
  record.seen = store.revision;
  record.tried = record.tried.filter((one) => one.revision <= store.revision);
  const revisions = record.tried.map((one) => one.revision);
  expect(revisions).toEqual(Array.from(revisions, (_, index) => index + 2));
  const state = new Map<string, string>();
  for (const { type, key, revision, data } of record.tried) {
    if (type === 'put') state.set(key, `${key}@${revision}=${data}`);
    else state.delete(key);
  }
  const found = store.list('things', '').map((entry) => `${entry.key}@${entry.revision}=${dataOf(entry)}`);
  expect(found).toEqual([...state].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, shown]) => shown));
  checkWatches(store, record.tried);
}

/**
 * Compares watches: from an available revision they must send exactly the later changes; from an older one they must be
 * refused.
 */
function checkWatches(store: Store, tried: readonly Tried[]): void {
  const oldest = store.oldest('things');
  expect(oldest).toBeLessThanOrEqual(store.revision);
  if (oldest > 1) expect(() => store.watch('things', oldest - 1, () => undefined)).toThrow(Compacted);
  for (let count = 0; count <= WATCHES; count++) {
    const after = oldest + Math.floor(((store.revision - oldest) * count) / WATCHES);
    const changes: string[] = [];
    store
      .watch('things', after, ({ revision, type, entry }) =>
        changes.push(`${revision} ${type} ${entry.key}=${dataOf(entry)}`),
      )
      .end();
    const wanted = tried
      .filter((one) => one.revision > after)
      .map(({ revision, type, key, data }) => `${revision} ${type} ${key}=${data}`);
    if (changes.join('\n') !== wanted.join('\n')) expect(changes).toEqual(wanted);
  }
}
