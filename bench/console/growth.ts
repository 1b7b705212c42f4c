import { setTimeout as sleep } from 'node:timers/promises';

import type { Figure } from '@multicluster-engine/kube-apiserver/testing/bench';
import type { Browser } from 'playwright-core';
import { readAssets } from '../../src/console/server/assets.js';
import { systemClock } from '../../src/runtime/clock.js';
import { startConsole, type MemoryHub } from '../../test/support/rigs/console/hub.js';
import { benchWorld, labelled } from './world.js';

/** A page in Chromium that stays open while the fleet moves. */

const SIZE = { clusters: 10_000, placements: 4 };
const QUERY = 'label:bench=yes';
const EACH_MS = 100;
const WARM_MS = 30_000;

/** How its heap grows in `minutes`, at ten changes a second. */
export async function growthFigure(browser: Browser, minutes: number): Promise<Figure> {
  const { hub, server, port, sessions } = await startConsole(benchWorld(SIZE), readAssets(), systemClock);
  const context = await browser.newContext({ viewport: { width: 1280, height: 860 } });
  try {
    const page = await context.newPage();
    page.setDefaultTimeout(120_000);
    await page.goto(`http://127.0.0.1:${port}/login#code=${sessions.code()}`);
    await page.getByText('10,000 clusters', { exact: true }).waitFor();
    await page.goto(`http://127.0.0.1:${port}/fleet?view=table&q=${QUERY}`);
    const session = await context.newCDPSession(page);
    let index = 0;
    const heapAfter = async (ms: number): Promise<number> => {
      const since = performance.now();
      for (; performance.now() - since < ms; index++) {
        change(hub, index);
        await sleep(EACH_MS);
      }
      await session.send('HeapProfiler.collectGarbage');
      return (await session.send('Runtime.getHeapUsage')).usedSize / 1e6;
    };
    // First what everything that is compiled and kept takes once.
    const before = await heapAfter(WARM_MS);
    const after = await heapAfter(minutes * 60_000);
    const measure = `a page, ${SIZE.clusters} clusters, 10 changes/s: growth of its heap in ${minutes} min`;
    return { id: 'C4', measure, unit: 'MB', values: [after - before], atMost: 1 };
  } finally {
    await context.close();
    server.closeAllConnections();
    server.close();
  }
}

function change(hub: Pick<MemoryHub, 'world'>, index: number): void {
  const { objects } = hub.world;
  const managedclusters = [...objects.managedclusters];
  const place = index % managedclusters.length;
  const one = managedclusters[place];
  if (one === undefined) throw new Error('there is no cluster');
  managedclusters[place] = labelled(one, index);
  hub.world = { ...hub.world, objects: { ...objects, managedclusters } };
}
