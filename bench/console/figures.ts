import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import type { Figure } from '@multicluster-engine/kube-apiserver/testing/bench';
import type { Browser, CDPSession, Page } from 'playwright-core';
import { readAssets } from '../../src/console/server/assets.js';
import { Planner } from '../../src/console/server/planner.js';
import { Snapshot } from '../../src/console/server/snapshot.js';
import type { Draft } from '../../src/console/wire/plan.js';
import { systemClock } from '../../src/runtime/clock.js';
import { launchChromium } from '../../test/support/rigs/console/chromium.js';
import { startConsole, type MemoryConsole } from '../../test/support/rigs/console/hub.js';
import { consoleWorld } from '../../test/support/rigs/console/worlds.js';
import { growthFigure } from './growth.js';
import { liveFigures } from './live.js';
import { lossFigures } from './loss.js';
import { root } from '../../test/support/repository/root.js';

/** The console with 10,000 clusters, in Chromium whose CPU is four times slower. The hub is in memory. */

const CLUSTERS = 10_000;
const RUNS = 3;
const SAMPLES = 10;
const SLOWER = 4;
/** 40 ms, 10 Mbit/s. */
const NETWORK = { offline: false, latency: 40, downloadThroughput: 1_250_000, uploadThroughput: 1_250_000 };

/** Of an hour of the page, so much is measured by `console`; `console-hour` measures all of it. */
const GROWTH_MINUTES = 3;
const HOUR_MINUTES = 60;

/** `profiles`: the folder for CPU profiles of the console. */
export async function consoleFigures(profiles?: string): Promise<readonly Figure[]> {
  return [...(await pageFigures()), ...(await liveFigures(profiles)), ...(await growth(GROWTH_MINUTES))];
}

/** What an hour at a page that stays open does to it. */
export function hourFigures(): Promise<readonly Figure[]> {
  return growth(HOUR_MINUTES);
}

async function growth(minutes: number): Promise<readonly Figure[]> {
  const browser = await launchChromium();
  try {
    return [await growthFigure(browser, minutes)];
  } finally {
    await browser.close();
  }
}

async function pageFigures(): Promise<readonly Figure[]> {
  const started = await startConsole(consoleWorld(CLUSTERS), readAssets(), systemClock);
  const browser = await launchChromium();
  try {
    return [
      assets(),
      ...(await firstSight(browser, started)),
      ...(await use(browser, started)),
      await mapFrame(browser, started),
      ...(await plans(started)),
      ...(await lossFigures(browser)),
    ];
  } finally {
    await browser.close();
    started.server.closeAllConnections();
    started.server.close();
  }
}

function assets(): Figure {
  const folder = path.join(root, 'dist', 'web');
  const bytes = readdirSync(folder).reduce(
    (sum, name) => sum + brotliCompressSync(readFileSync(path.join(folder, name))).length,
    0,
  );
  return { id: 'C1', measure: 'files of the page, brotli', unit: 'KB', values: [bytes / 1000], atMost: 60 };
}

interface Opened {
  readonly page: Page;
  readonly session: CDPSession;
  readonly origin: string;
}

async function opened(browser: Browser, { port, sessions }: MemoryConsole): Promise<Opened> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 860 } });
  const page = await context.newPage();
  // As long as a busy machine may take.
  page.setDefaultTimeout(120_000);
  const origin = `http://127.0.0.1:${port}`;
  await page.goto(`${origin}/login#code=${sessions.code()}`);
  await page.getByText('10,000 clusters', { exact: true }).waitFor();
  const session = await context.newCDPSession(page);
  await session.send('Emulation.setCPUThrottlingRate', { rate: SLOWER });
  return { page, session, origin };
}

/** Without files from an earlier visit. */
async function firstSight(browser: Browser, started: MemoryConsole): Promise<readonly Figure[]> {
  const [paints, data]: [number[], number[]] = [[], []];
  for (let run = 0; run < RUNS; run++) {
    const { page, session, origin } = await opened(browser, started);
    await session.send('Network.enable');
    await session.send('Network.setCacheDisabled', { cacheDisabled: true });
    await session.send('Network.emulateNetworkConditions', NETWORK);
    await page.goto(`${origin}/fleet?view=table`, { waitUntil: 'commit' });
    data.push(await within<number>(page, `until(() => document.body?.textContent.includes('10,000 clusters'), 0)`));
    paints.push(await page.evaluate(`performance.getEntriesByName('first-contentful-paint')[0].startTime`));
    await page.context().close();
  }
  return [
    { id: 'C2', measure: 'first paint, CPU 4 times slower, 40 ms, 10 Mbit/s', unit: 'ms', values: paints, atMost: 800 },
    { id: 'C2', measure: `first data of ${CLUSTERS} clusters, the same`, unit: 'ms', values: data, atMost: 1_500 },
  ];
}

/** Evaluates with `until(condition, since)`: the milliseconds until a frame in which the condition holds. */
function within<T>(page: Page, expression: string): Promise<T> {
  return page.evaluate(`(async () => {
    const until = async (condition, since) => {
      while (!condition()) {
        if (performance.now() - since > 20000) throw new Error('20 s');
        await new Promise(requestAnimationFrame);
      }
      return performance.now() - since;
    };
    return ${expression};
  })()`);
}

const INPUT = `const type = (label, value) => {
  const field = document.querySelector('[aria-label="' + label + '"]');
  Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set.call(field, value);
  field.dispatchEvent(new Event('input', { bubbles: true }));
};`;

/** What somebody does, and what is seen then; `N` is the number of the sample. */
const ACTIONS: readonly {
  readonly what: string;
  readonly address: string;
  readonly act: string;
  readonly seen: string;
}[] = [
  {
    what: 'filter the map',
    address: '/fleet',
    act: `${INPUT} type('Filter clusters', N % 2 ? 'health:silent' : 'label:tier=silver');`,
    seen: `document.body.textContent.includes(N % 2 ? '554 of 10,000' : '2,000 of 10,000')`,
  },
  {
    what: 'sort the table',
    address: '/fleet?view=table',
    act: `[...document.querySelectorAll('[role=columnheader] button')].find((one) => one.textContent.startsWith('Cluster')).click();`,
    seen: `document.querySelector('.grid-body [data-active] a')?.textContent === (N % 2 ? 'cluster-1' : 'cluster-10000')`,
  },
  {
    what: 'scroll the table',
    address: '/fleet?view=table',
    act: `document.querySelector('.grid-body').scrollTop = 40 * ((N * 3511) % 9900);`,
    seen: `document.querySelectorAll('.grid-body .grid-row').length > 16 && document.querySelector('.grey-cell') === null`,
  },
  {
    what: 'show others in the matrix',
    address: '/placements/shop/web',
    act: `[...document.querySelectorAll('.tabs button')][N % 2 ? 0 : 2].click();`,
    seen: `document.querySelectorAll('.matrix-grid .grid-body .grid-row a').length > (N % 2 ? 3 : 16)`,
  },
];

async function use(browser: Browser, started: MemoryConsole): Promise<readonly Figure[]> {
  const figures: Figure[] = [];
  for (const { what, address, act, seen } of ACTIONS) {
    const { page, session, origin } = await opened(browser, started);
    await page.goto(`${origin}${address}`);
    await page.locator('main canvas, main .grid-body a').first().waitFor();
    const values: number[] = [];
    for (let run = 0; run < RUNS; run++) {
      const samples: number[] = [];
      for (let sample = 0; sample < SAMPLES; sample++)
        samples.push(
          await within(
            page,
            `((N) => { const since = performance.now(); ${act} return until(() => ${seen}, since); })(${sample})`,
          ),
        );
      values.push(Math.max(...samples));
    }
    const measure = `${what}: ${CLUSTERS} clusters, CPU 4 times slower, the slowest of ${SAMPLES}`;
    figures.push({ id: 'C3', measure, unit: 'ms', values, atMost: 100 });
    if (what.startsWith('scroll')) figures.push(await heap(session));
    await page.context().close();
  }
  return figures;
}

/** Notes how long each canvas takes to be drawn: from its context to the end of the task. */
const NOTE_DRAWS = `(() => {
  globalThis.draws = [];
  const { getContext } = HTMLCanvasElement.prototype;
  HTMLCanvasElement.prototype.getContext = function (...args) {
    const since = performance.now();
    queueMicrotask(() => draws.push(performance.now() - since));
    return getContext.apply(this, args);
  };
})()`;

/** All groups of the map are drawn again when the colors of the system change. */
async function mapFrame(browser: Browser, started: MemoryConsole): Promise<Figure> {
  const { page, origin } = await opened(browser, started);
  await page.goto(`${origin}/fleet`);
  const canvases = page.locator('main canvas');
  await canvases.first().waitFor();
  await page.evaluate(NOTE_DRAWS);
  const count = await canvases.count();
  const values: number[] = [];
  for (let run = 0; run < RUNS; run++) {
    const frames: number[] = [];
    for (let sample = 0; sample < SAMPLES; sample++) {
      await page.emulateMedia({ colorScheme: sample % 2 === 0 ? 'dark' : 'light' });
      await within(page, `until(() => draws.length >= ${count}, performance.now())`);
      const draws = await page.evaluate<number[]>('draws.splice(0)');
      frames.push(draws.reduce((sum, one) => sum + one, 0));
    }
    values.push(Math.max(...frames));
  }
  await page.context().close();
  const measure = `draw the map: ${CLUSTERS} clusters, CPU 4 times slower, the slowest of ${SAMPLES}`;
  return { id: 'C3', measure, unit: 'ms', values, atMost: 8 };
}

async function heap(session: CDPSession): Promise<Figure> {
  await session.send('HeapProfiler.collectGarbage');
  const { usedSize } = await session.send('Runtime.getHeapUsage');
  return { id: 'C4', measure: 'heap of the page after scrolling', unit: 'MB', values: [usedSize / 1e6], atMost: 30 };
}

/** The time of the processor: the rest of an answer is a request to this machine. */
async function plans({ hub }: MemoryConsole): Promise<readonly Figure[]> {
  const snapshot = new Snapshot({ world: { ...hub.world, at: Date.now() }, refused: [], namespace: undefined });
  const [planner, gone] = [new Planner(systemClock), new AbortController().signal];
  const empty = { manifests: '', labels: [], drains: [], losses: [], each: [] };
  const placement = (count: number): string =>
    `apiVersion: cluster.fleetmgmt.io/v1alpha1\nkind: Placement\nmetadata: {name: web, namespace: shop}\nspec: {numberOfClusters: ${count}}\n`;
  const drafts = [
    ["a cluster's label", (n: number): Draft => ({ ...empty, labels: [`cluster-2:tier=v${n}`] }), 100],
    [`a Placement of ${CLUSTERS} candidates`, (n: number): Draft => ({ ...empty, manifests: placement(n) }), 300],
  ] as const;
  const figures: Figure[] = [];
  for (const [what, draftOf, atMost] of drafts) {
    const values: number[] = [];
    for (let run = -1; run < SAMPLES; run++) {
      const before = process.cpuUsage();
      const plan = await planner.plan(snapshot, draftOf(run + 2), { namespace: 'shop', gone });
      if ('fault' in plan) throw new Error(plan.fault);
      const { user, system } = process.cpuUsage(before);
      if (run >= 0) values.push((user + system) / 1000);
    }
    figures.push({ id: 'C5', measure: `plan of ${what}, four Placements: CPU`, unit: 'ms', values, atMost });
  }
  return figures;
}
