import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { performance } from 'node:perf_hooks';
import { fileURLToPath } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

import type { KubeObject } from '@multicluster-engine/values/object';
import { openStore } from '../src/store/open.js';
import type { Store } from '../src/store/store.js';
import { systemClock } from '../src/clock.js';
import type { Figure } from '../testing/bench.js';

const RUNS = 5;
const OBJECTS = 100_000;
const WRITES = 10_000;
const WRITERS = 64;
const PAGE = 500;
const THINGS = 'things.example.com';

/** The measurements of one run, in a process of its own. */
interface Run {
  readonly startMs: number;
  readonly rssMiB: number;
  readonly pageMs: number;
  readonly pageAfterWriteMs: number;
  readonly pastPageMs: number;
  readonly writeMs: number;
  readonly singleMs: number;
}

/** P11 for the store alone: without verbs and HTTP. */
export async function storeFigures(): Promise<readonly Figure[]> {
  const folder = mkdtempSync(path.join(tmpdir(), 'store-bench-'));
  try {
    process.stderr.write(`store: writes ${OBJECTS} objects\n`);
    await fill(folder);
    const runs: Run[] = [];
    for (let run = 0; run < RUNS; run++) {
      process.stderr.write(`store: run ${run + 1} of ${RUNS}\n`);
      runs.push(
        JSON.parse(
          execFileSync(process.execPath, [fileURLToPath(import.meta.url), folder], { encoding: 'utf8' }),
        ) as Run,
      );
    }
    const figure = (measure: string, unit: string, valueOf: (run: Run) => number, atMost?: number): Figure => ({
      id: 'P11',
      measure,
      unit,
      values: runs.map(valueOf),
      ...(atMost === undefined ? {} : { atMost }),
    });
    return [
      figure(`1,000 durable writes by ${WRITERS} writers`, 'ms', (run) => run.writeMs, 200),
      figure('one durable write after the other, each', 'ms', (run) => run.singleMs),
      figure(`a page of ${PAGE} of ${OBJECTS}, parsed`, 'ms', (run) => run.pageMs, 10),
      figure(`the same after a write of a new object`, 'ms', (run) => run.pageAfterWriteMs, 10),
      figure(`the same as it was 1,000 writes ago`, 'ms', (run) => run.pastPageMs),
      figure(`start with ${OBJECTS} objects of 2 KB`, 'ms', (run) => run.startMs, 3_000),
      figure('memory of the process after it', 'MiB', (run) => run.rssMiB, 700),
    ];
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function open(folder: string): Promise<Store> {
  const onFatal = (error: unknown): never => {
    throw new Error('the store failed', { cause: error });
  };
  return openStore({ folder, clock: systemClock, onFatal });
}

async function fill(folder: string): Promise<void> {
  const store = await open(folder);
  await writeMany(store, 'ns', OBJECTS);
  await store.close();
}

/** Writes new objects with a number of concurrent writers. */
async function writeMany(store: Store, namespace: string, count: number): Promise<void> {
  let next = 0;
  const write = async (): Promise<void> => {
    while (next < count) {
      const name = `thing-${next++}`;
      await store.put(THINGS, `${namespace}/${name}`, (revision) => thing(namespace, name, revision));
    }
  };
  await Promise.all(Array.from({ length: WRITERS }, write));
}

function thing(namespace: string, name: string, revision: number): KubeObject {
  const items = Array.from({ length: 20 }, (_, index) => ({ name: `item-${index}`, value: 'x'.repeat(50) }));
  const metadata = {
    name,
    namespace,
    uid: `00000000-0000-4000-8000-${String(revision).padStart(12, '0')}`,
    resourceVersion: String(revision),
    labels: { app: name },
  };
  return { apiVersion: 'example.com/v1', kind: 'Thing', metadata, spec: { items }, status: { conditions: [] } };
}

async function measure(folder: string): Promise<Run> {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const startMs = await timed(async () => void (await open(folder)).close());
  const store = await open(folder);
  store.list(THINGS, '');
  collect();
  const rssMiB = process.memoryUsage().rss / 2 ** 20;
  const pageMs = await timed(() => parse(store.list(THINGS, 'ns/')));
  await writeMany(store, `run-${store.revision}`, 1_000);
  const pageAfterWriteMs = await timed(() => parse(store.list(THINGS, 'ns/')));
  const pastPageMs = await timed(() => parse(store.listAt(THINGS, 'ns/', store.revision - 1_000)));
  const writeMs = (await timed(() => writeMany(store, `many-${store.revision}`, WRITES))) / (WRITES / 1_000);
  const singleMs =
    (await timed(async () => {
      for (let count = 0; count < 500; count++)
        await store.put(THINGS, 'single/one', (revision) => thing('single', 'one', revision));
    })) / 500;
  await store.close();
  return { startMs, rssMiB, pageMs, pageAfterWriteMs, pastPageMs, writeMs, singleMs };
}

function parse(entries: ReturnType<Store['list']>): void {
  const from = Math.floor(entries.length / 2);
  for (const { object } of entries.slice(from, from + PAGE))
    if (object.kind !== 'Thing') throw new Error('it is another object');
}

async function timed(work: () => unknown): Promise<number> {
  const begun = performance.now();
  await work();
  return performance.now() - begun;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const run = await measure(process.argv[2] ?? '');
  process.stdout.write(JSON.stringify(run));
}
