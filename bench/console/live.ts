import { setTimeout as sleep } from 'node:timers/promises';

import { quantile, type Figure } from '@multicluster-engine/kube-apiserver/testing/bench';
import { waitFor } from '@multicluster-engine/kube-apiserver/testing/wait';
import path from 'node:path';
import { OpenPage, Person, stall } from './clients.js';
import { startConsoleProcess, type ConsoleProcess } from './process.js';

/** Pages that stay open while the fleet moves: a console, its hub, and their clients are three processes. */

const SIZE = { clusters: 10_000, placements: 1_000 };
const SMALL = { clusters: 500, placements: 4 };
const EACH_MS = 100;
/** Of one person, in the row of those that nobody reads. */
const CONNECTIONS = 4;
/** So many persons whom the console does not know yet may come at the same time. */
const AT_ONCE = 8;
const WARM_MS = 5_000;
const PATIENCE_MS = 60_000;
const STALLED = 500;
/** Until each holds what it may, and how long it is watched then. */
const FILL_MS = 8_000;
const STALLED_MS = 18_000;

interface Audience {
  readonly what: string;
  readonly persons: number;
  readonly pagesOfEach: number;
  readonly forMs: number;
  /** From a change until each page shows it, ms. */
  readonly atMost: number;
}

const AUDIENCES: readonly Audience[] = [
  { what: '20 pages of one person', persons: 1, pagesOfEach: 20, forMs: 30_000, atMost: 2_000 },
  { what: '20 pages of 20 persons', persons: 20, pagesOfEach: 1, forMs: 30_000, atMost: 2_000 },
  { what: '200 different pages of 200 persons', persons: 200, pagesOfEach: 1, forMs: 60_000, atMost: 6_000 },
];

/** `profiles`: the folder for CPU profiles of the console, one for each audience. */
export async function liveFigures(profiles: string | undefined): Promise<readonly Figure[]> {
  const figures: Figure[] = [];
  for (const audience of AUDIENCES) figures.push(...(await followed(audience, profiles)));
  return [...figures, await stalled()];
}

async function followed(audience: Audience, profiles: string | undefined): Promise<readonly Figure[]> {
  const console = await startConsoleProcess(SIZE);
  const persons = Array.from({ length: audience.persons }, (_, index) => new Person(console, index));
  const pages: OpenPage[] = [];
  try {
    pages.push(...(await opened(persons, audience.pagesOfEach)));
    // What is compiled and kept once is no part of what a change costs.
    const { length: from } = await changes(console, { from: 0, forMs: WARM_MS });
    await allShow(pages, from);
    const profile = profiles && path.join(profiles, `console-${audience.persons}.cpuprofile`);
    return await measured(console, pages, { ...audience, profile, from });
  } finally {
    for (const page of pages) page.close();
    for (const person of persons) person.close();
    await console.stop();
  }
}

/** Each page has a view of its own: a term of its query that matches every cluster, and differs. */
async function opened(persons: readonly Person[], pagesOfEach: number): Promise<readonly OpenPage[]> {
  const all: OpenPage[] = [];
  for (let first = 0; first < persons.length; first += AT_ONCE) {
    const some = persons.slice(first, first + AT_ONCE);
    const pages = await Promise.all(
      some.map((one, index) => openedBy(one, (first + index) * pagesOfEach, pagesOfEach)),
    );
    all.push(...pages.flat());
  }
  return all;
}

async function openedBy(person: Person, first: number, count: number): Promise<readonly OpenPage[]> {
  const pages = Array.from({ length: count }, (_, index) => {
    const query = encodeURIComponent(`label:bench=yes label:tier!=other-${first + index}`);
    return new OpenPage(person, `fleet?q=${query}&limit=50`);
  });
  for (const page of pages) await page.open();
  return pages;
}

/** Ten changes a second. Returns when each was made, the first with the number `from`. */
async function changes(
  console: ConsoleProcess,
  { from, forMs }: { readonly from: number; readonly forMs: number },
): Promise<readonly number[]> {
  const times: number[] = [];
  const since = performance.now();
  while (performance.now() - since < forMs) {
    console.change(from + times.length);
    times.push(performance.now());
    await sleep(EACH_MS);
  }
  return times;
}

/** Waits until all pages show so many clusters, or do not in time: on a busy machine that is a figure, too. */
async function allShow(pages: readonly OpenPage[], count: number): Promise<void> {
  const areThere = (): true | undefined => pages.every((one) => one.count >= count) || undefined;
  await waitFor('the pages', areThere, { deadlineMs: PATIENCE_MS }).catch(() => undefined);
}

async function measured(
  console: ConsoleProcess,
  pages: readonly OpenPage[],
  { what, forMs, atMost, profile, from }: Audience & { readonly profile: string | undefined; readonly from: number },
): Promise<readonly Figure[]> {
  const sent = (): number => pages.reduce((sum, { bytes }) => sum + bytes, 0);
  await console.calls();
  if (profile !== undefined) await console.probe({ kind: 'startProfile' });
  const before = await console.probe({ kind: 'watchLoop' });
  const [since, bytes] = [performance.now(), sent()];
  const times = await changes(console, { from, forMs });
  const after = await console.probe({ kind: 'sample' });
  const [seconds, calls] = [(performance.now() - since) / 1_000, await console.calls()];
  const sentInAll = sent() - bytes;
  if (profile !== undefined) await console.probe({ kind: 'stopProfile', file: profile });
  await allShow(pages, from + times.length);
  const waits = pages.flatMap(({ seen }) => times.map((at, index) => shownAt(seen, from + index + 1) - at));
  const rest = `${SIZE.clusters} clusters, ${SIZE.placements} Placements, 10 changes/s`;
  const figure = (id: string, measure: string, unit: string, value: number, most?: number): Figure => ({
    id,
    measure: `${what}, ${rest}: ${measure}`,
    unit,
    values: [value],
    ...(most !== undefined && { atMost: most }),
  });
  return [
    figure('C6', 'from a change until a page shows it, p99', 'ms', quantile(waits.toSorted(ascending), 0.99), atMost),
    figure('C6', 'the same, median', 'ms', quantile(waits.toSorted(ascending), 0.5)),
    figure('C7', 'CPU of the console', 'cores', (after.cpuMs - before.cpuMs) / 1_000 / seconds, 0.5),
    figure('C7', 'its resident memory', 'MB', (after.residentMiB * 2 ** 20) / 1e6, 450),
    figure('C7', 'delay of its event loop, p99', 'ms', after.loopDelayP99Ms, 25),
    figure('C7', 'the longest delay', 'ms', after.loopDelayMs),
    figure('C7', 'sent to the pages', 'MB/s', sentInAll / 1e6 / seconds, 1),
    figure('C9', 'reviews of tokens and proofs of rights', '1/s', (calls.reviews + calls.proofs) / seconds, 90),
    figure('C9', 'pages of lists', '1/s', calls.pages / seconds),
  ];
}

/** Now, for what a page does not show yet: it waits at least so long. */
function shownAt(seen: OpenPage['seen'], count: number): number {
  return seen.find((one) => one.count >= count)?.at ?? performance.now();
}

function ascending(a: number, b: number): number {
  return a - b;
}

/** Of a fleet that changes all the time. */
async function stalled(): Promise<Figure> {
  const console = await startConsoleProcess(SMALL);
  const persons = Array.from({ length: STALLED / CONNECTIONS }, (_, index) => new Person(console, index));
  try {
    for (const person of persons) for (let index = 0; index < CONNECTIONS; index++) await stall(person);
    const { length: from } = await changes(console, { from: 0, forMs: FILL_MS });
    const before = await console.probe({ kind: 'collect' });
    await changes(console, { from, forMs: STALLED_MS });
    const after = await console.probe({ kind: 'collect' });
    const measure = `${STALLED} answers that nobody reads, 10 changes/s: growth of the resident memory in ${STALLED_MS / 1_000} s`;
    const values = [((after.residentMiB - before.residentMiB) * 2 ** 20) / 1e6];
    return { id: 'C8', measure, unit: 'MB', values, atMost: 10 };
  } finally {
    for (const person of persons) person.close();
    await console.stop();
  }
}
