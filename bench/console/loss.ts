import type { Figure } from '@multicluster-engine/kube-apiserver/testing/bench';
import type { Browser } from 'playwright-core';
import { readAssets } from '../../src/console/server/assets.js';
import { systemClock } from '../../src/runtime/clock.js';
import { predicate } from '../../test/support/builders/world.js';
import { closeServer, startConsole } from '../../test/support/rigs/console/hub.js';
import { consoleWorld } from '../../test/support/rigs/console/worlds.js';

/** The plan of a lost region, of many clusters and Placements, while somebody writes beside it. */

const CLUSTERS = 5_000;
const PLACEMENTS = 162;
const KEYS = 20;

/** Notes for each key how long it takes until the frame that shows it. */
const NOTE_KEYS = `(() => {
  globalThis.keys = [];
  document.addEventListener('keydown', ({ timeStamp }) => {
    requestAnimationFrame(() => {
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = () => keys.push(performance.now() - timeStamp);
      port2.postMessage(0);
    });
  }, true);
})()`;

export async function lossFigures(browser: Browser): Promise<readonly Figure[]> {
  const world = consoleWorld(CLUSTERS);
  const [first] = world.objects.placements;
  const placements = Array.from({ length: PLACEMENTS }, (_, index) => ({
    ...first,
    metadata: { name: `app-${index}`, namespace: 'shop', uid: `app-${index}`, resourceVersion: '1' },
    spec: { predicates: [predicate({}, [], [{ key: 'platform', operator: 'In', values: ['aws'] }])] },
  }));
  const objects = { ...world.objects, placements, placementdecisions: [] };
  const { server, port, sessions } = await startConsole({ ...world, objects }, readAssets(), systemClock);
  const context = await browser.newContext({ viewport: { width: 1280, height: 860 } });
  try {
    const page = await context.newPage();
    page.setDefaultTimeout(120_000);
    const origin = `http://127.0.0.1:${port}`;
    await page.goto(`${origin}/login#code=${sessions.code()}`);
    await page.getByText('5,000 clusters', { exact: true }).waitFor();
    await page.goto(`${origin}/what-if?begin=lose:label/region=eu-west`);
    await page.getByText(`1–20 of ${PLACEMENTS}`).waitFor();
    // One list is open.
    await page.getByRole('button', { name: /more$/ }).first().click();
    await page.locator('.moves-grid .grid-body a').first().waitFor();
    const elements = await page.locator('*').count();
    await page.getByRole('button', { name: '+ Manifest' }).click();
    await page.evaluate(NOTE_KEYS);
    await page.getByLabel('Manifests').focus();
    for (let key = 0; key < KEYS; key++) await page.keyboard.press('#');
    const waits = await page.evaluate<number[]>('keys');
    const what = `the loss of a region, ${CLUSTERS} clusters, ${PLACEMENTS} Placements`;
    return [
      {
        id: 'C10',
        measure: `${what}: elements of the page, one list open`,
        unit: 'elements',
        values: [elements],
        atMost: 3_000,
      },
      {
        id: 'C10',
        measure: `${what}: from a key to its frame, the slowest of ${KEYS}`,
        unit: 'ms',
        values: [Math.max(...waits)],
        atMost: 50,
      },
    ];
  } finally {
    await context.close();
    closeServer(server);
  }
}
