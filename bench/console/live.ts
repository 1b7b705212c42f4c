import { request } from 'node:http';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Figure } from '@multicluster-engine/kube-apiserver/testing/bench';
import { waitFor } from '@multicluster-engine/kube-apiserver/testing/wait';
import type { Browser } from 'playwright-core';
import { portOf } from '../../src/console/server/server.js';
import { readAssets } from '../../src/console/server/assets.js';
import { eventsIn } from '../../src/console/web/eventstream.js';
import type { World } from '../../src/domain/fleet/world.js';
import { systemClock } from '../../src/runtime/clock.js';
import { field, parseJson, textField } from '../../src/runtime/vocabulary/json.js';
import { startConsole } from '../../test/support/rigs/console/hub.js';
import { HOST, startTokenConsole } from '../../test/support/rigs/console/tokens.js';
import { consoleWorld } from '../../test/support/rigs/console/worlds.js';

/** Pages that stay open while the fleet moves. They are clients of this process; the hub is in memory, and parsed anew. */

const CLUSTERS = 10_000;
const PAGES = 20;
/** Of one person. */
const STREAMS = 4;
const RUNS = 3;
const CHANGES = 8;
const LOAD_MS = 20_000;
const EACH_MS = 100;
const STALLED = 500;
const QUERY = 'label:bench=yes';
const PATH = `fleet?q=${QUERY}&limit=50`;

interface HubWorld {
  world: World;
}

interface Client {
  readonly port: number;
  readonly headers: Readonly<Record<string, string>>;
}

export async function liveFigures(browser: Browser): Promise<readonly Figure[]> {
  return [...(await ofOnePerson()), ...(await ofManyPersons()), await stalled(), await grown(browser)];
}

/** The label is given to one cluster more: the answer to the query counts them. */
function change(hub: HubWorld, index: number): void {
  const { objects } = hub.world;
  const managedclusters = [...objects.managedclusters];
  const one = managedclusters[index % managedclusters.length];
  if (one === undefined) throw new Error('there is no cluster');
  const labels = { ...one.metadata.labels, bench: 'yes' };
  const metadata = { ...one.metadata, labels, resourceVersion: `bench-${index}` };
  managedclusters[index % managedclusters.length] = { ...one, metadata };
  hub.world = { ...hub.world, objects: { ...objects, managedclusters } };
}

/** A page: reads the stream, asks again when its topic is named, and knows how many clusters its answer counts. */
class Page {
  count = 0;
  bytes = 0;
  #tag = '';
  #client: Client;

  constructor(client: Client) {
    this.#client = client;
  }

  async fetch(): Promise<void> {
    const { headers, text, code } = await ask(this.#client, PATH, { 'if-none-match': this.#tag });
    this.bytes += text.length;
    if (code === 429 || code >= 500) {
      // As the page does; without a connection that the server has just closed.
      const seconds = Number(headers['retry-after'] ?? 5);
      setTimeout(() => void this.fetch().catch(() => undefined), seconds * 1_000);
    }
    if (code !== 200) return;
    this.#tag = textField(headers, 'etag');
    this.count = Number(field(field(parseJson(text), 'data'), 'matched'));
  }
}

function ask(
  { port, headers }: Client,
  path: string,
  more: Readonly<Record<string, string>>,
): Promise<{ readonly code: number; readonly text: string; readonly headers: Readonly<Record<string, unknown>> }> {
  return new Promise((resolve, reject) => {
    const options = {
      host: '127.0.0.1',
      port,
      path: `/api/v1/${path}`,
      headers: { ...headers, ...more },
      agent: false,
    };
    const sent = request(options, (response) => {
      let text = '';
      response.on('data', (chunk: Buffer) => (text += chunk.toString()));
      response.on('end', () => resolve({ code: response.statusCode ?? 0, text, headers: response.headers }));
    });
    sent.on('error', reject);
    sent.end();
  });
}

/** Follows the stream for these pages. Resolves once it is open, with what ends it. */
function follow({ port, headers }: Client, pages: readonly Page[]): Promise<() => void> {
  return new Promise((resolve, reject) => {
    const options = { host: '127.0.0.1', port, path: '/api/v1/stream?topics=fleet', headers };
    const sent = request(options, (response) => {
      if (response.statusCode !== 200) reject(new Error(`the stream is refused: ${response.statusCode}`));
      let rest = '';
      response.on('data', (chunk: Buffer) => {
        const found = eventsIn(rest + chunk.toString());
        ({ rest } = found);
        if (found.events.some(({ data }) => data.startsWith('["')))
          for (const page of pages) void page.fetch().catch(() => undefined);
      });
      response.on('error', () => undefined);
      resolve(() => response.destroy());
    });
    sent.on('error', reject);
    sent.end();
  });
}

/** Ms from a change until each page has an answer that counts it: the p99 of all. */
async function latencies(hub: HubWorld, pages: readonly Page[], changes: number): Promise<number> {
  const all: number[] = [];
  for (let index = 0; index < changes; index++) {
    const wanted = (pages[0]?.count ?? 0) + 1;
    change(hub, wanted);
    const since = performance.now();
    const waits = pages.map(async (page) => {
      await waitFor('the page', () => page.count >= wanted || undefined, { everyMs: 5 });
      all.push(performance.now() - since);
    });
    await Promise.all(waits);
    // Changes come at any time between two readings.
    await new Promise((resolve) => setTimeout(resolve, (index * 373) % 1_000));
  }
  return all.toSorted((a, b) => a - b)[Math.ceil(all.length * 0.99) - 1] ?? Number.NaN;
}

async function ofOnePerson(): Promise<readonly Figure[]> {
  const { hub, server, port, sessions, streams } = await startConsole(
    consoleWorld(CLUSTERS),
    readAssets(),
    systemClock,
  );
  const cookie = `console-${port}=${sessions.open(sessions.code())}`;
  const client = { port, headers: { cookie, 'sec-fetch-site': 'same-origin' } };
  const pages = Array.from({ length: PAGES }, () => new Page(client));
  await Promise.all(pages.map((page) => page.fetch()));
  for (let stream = 0; stream < STREAMS; stream++)
    await follow(
      client,
      pages.filter((_, index) => index % STREAMS === stream),
    );
  const values: number[] = [];
  for (let run = 0; run < RUNS; run++) values.push(await latencies(hub, pages, CHANGES));
  const loaded = await underLoad(hub, pages);
  streams.close();
  server.closeAllConnections();
  server.close();
  const measure = `a change until ${PAGES} pages of one person show it, p99: ${CLUSTERS} clusters`;
  return [{ id: 'C6', measure, unit: 'ms', values, atMost: 2_000 }, ...loaded];
}

/** The clients are in the same process: the server alone takes less. */
async function underLoad(hub: HubWorld, pages: readonly Page[]): Promise<readonly Figure[]> {
  const delays = monitorEventLoopDelay({ resolution: 5 });
  const sent = pages.reduce((sum, page) => sum + page.bytes, 0);
  const before = process.cpuUsage();
  const since = performance.now();
  delays.enable();
  for (let index = 0; performance.now() - since < LOAD_MS; index++) {
    change(hub, 2_000 + index);
    await new Promise((resolve) => setTimeout(resolve, EACH_MS));
  }
  delays.disable();
  const { user, system } = process.cpuUsage(before);
  const seconds = (performance.now() - since) / 1_000;
  const bytes = pages.reduce((sum, page) => sum + page.bytes, 0) - sent;
  const what = `${PAGES} pages, ${CLUSTERS} clusters, 10 changes/s`;
  return [
    {
      id: 'C7',
      measure: `${what}: CPU, clients included`,
      unit: 'cores',
      values: [(user + system) / 1e6 / seconds],
      atMost: 0.5,
    },
    {
      id: 'C7',
      measure: `${what}: delay of the event loop, p99`,
      unit: 'ms',
      values: [delays.percentile(99) / 1e6],
      atMost: 25,
    },
    { id: 'C7', measure: `${what}: sent`, unit: 'MB/s', values: [bytes / 1e6 / seconds], atMost: 1 },
    {
      id: 'C7',
      measure: `${what}: memory, clients included`,
      unit: 'MB',
      values: [process.memoryUsage().rss / 1e6],
      atMost: 450,
    },
  ];
}

/** Each with a token and readings of their own. */
async function ofManyPersons(): Promise<readonly Figure[]> {
  const console = await startTokenConsole(readAssets(), systemClock);
  const { api, server, streams, people } = console;
  api.world = consoleWorld(CLUSTERS);
  const clients = Array.from({ length: PAGES }, (_, index) => personOf(console, index));
  const pages = clients.map((client) => new Page(client));
  for (const [index, client] of clients.entries()) {
    const own = pages.slice(index, index + 1);
    for (const page of own) await page.fetch();
    await follow(client, own);
  }
  const values: number[] = [];
  for (let run = 0; run < RUNS; run++) values.push(await latencies(api, pages, 2));
  streams.close();
  people.close();
  server.closeAllConnections();
  server.close();
  const measure = `a change until ${PAGES} persons on a hub see it, slowest: ${CLUSTERS} clusters`;
  return [{ id: 'C6', measure, unit: 'ms', values, atMost: 2_000 }];
}

function personOf({ api, server }: Awaited<ReturnType<typeof startTokenConsole>>, index: number): Client {
  const token = `person-${index}-person-${index}`;
  api.users.set(token, `person ${index}`);
  return { port: portOf(server), headers: { host: HOST, authorization: `Bearer ${token}` } };
}

/** Streams that nobody reads, of a small fleet that changes all the time: what the process grows by. */
async function stalled(): Promise<Figure> {
  const console = await startTokenConsole(readAssets(), systemClock);
  const { api, server, streams, people } = console;
  for (let person = 0; person < STALLED / STREAMS; person++) {
    const { port, headers } = personOf(console, person);
    for (let stream = 0; stream < STREAMS; stream++)
      await new Promise<void>((resolve, reject) => {
        const options = { host: '127.0.0.1', port, path: '/api/v1/stream?topics=fleet', headers };
        const sent = request(options, (response) => {
          response.pause();
          response.on('error', () => undefined);
          resolve();
        });
        sent.on('error', reject);
        sent.end();
      });
  }
  const size = (): number => {
    globalThis.gc?.();
    const { heapUsed, external } = process.memoryUsage();
    return (heapUsed + external) / 1e6;
  };
  const before = size();
  const since = performance.now();
  for (let index = 0; performance.now() - since < LOAD_MS; index++) {
    change(api, index);
    await new Promise((resolve) => setTimeout(resolve, EACH_MS));
  }
  const after = size();
  streams.close();
  people.close();
  server.closeAllConnections();
  server.close();
  const measure = `${STALLED} streams that nobody reads, 10 changes/s, ${LOAD_MS / 1_000} s: growth of the memory`;
  return { id: 'C8', measure, unit: 'MB', values: [after - before], atMost: 10 };
}

/** The page itself, in a browser. */
async function grown(browser: Browser): Promise<Figure> {
  const { hub, server, port, sessions, streams } = await startConsole(
    consoleWorld(CLUSTERS),
    readAssets(),
    systemClock,
  );
  const context = await browser.newContext({ viewport: { width: 1280, height: 860 } });
  const page = await context.newPage();
  await page.goto(`http://127.0.0.1:${port}/login#code=${sessions.code()}`);
  await page.getByText('10,000 clusters').waitFor();
  await page.goto(`http://127.0.0.1:${port}/fleet?view=table&q=${QUERY}`);
  const session = await context.newCDPSession(page);
  const load = async (from: number): Promise<number> => {
    const since = performance.now();
    for (let index = from; performance.now() - since < LOAD_MS; index++) {
      change(hub, index);
      await new Promise((resolve) => setTimeout(resolve, EACH_MS));
    }
    await session.send('HeapProfiler.collectGarbage');
    return (await session.send('Runtime.getHeapUsage')).usedSize / 1e6;
  };
  // First what everything that is compiled and kept takes once.
  const before = await load(0);
  const after = await load(5_000);
  await context.close();
  streams.close();
  server.closeAllConnections();
  server.close();
  const measure = `a page, ${CLUSTERS} clusters, 10 changes/s: growth of its heap in ${LOAD_MS / 1_000} s`;
  return { id: 'C4', measure, unit: 'MB', values: [after - before], atMost: 1 };
}
