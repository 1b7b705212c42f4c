import { afterAll, beforeAll } from '@jest/globals';
import { ManualClock } from '@multicluster-engine/kube-apiserver/testing/clock';
import type { Browser } from 'playwright-core';
import { readAssets } from '../../../src/console/server/assets.js';
import { describeRecorded } from '../../golden/recorded.js';
import { describeWithChromium, watchedPage } from '../../support/rigs/console/browser.js';
import { launchChromium } from '../../support/rigs/console/chromium.js';
import { closeServer, startConsole } from '../../support/rigs/console/hub.js';
import { readingOf } from '../../support/rigs/console/reading.js';
import { heldWorld } from '../../support/rigs/console/worlds.js';

/** What a screen reader gets of Fleet and of a Placement: names, states, and the order in which they are read. */

/** Of the page. */
const NOW = '2026-11-21T08:00:00Z';
let browser: Browser;

beforeAll(async () => {
  browser = await launchChromium();
});
afterAll(async () => {
  await browser?.close();
});

/** `shows`: what is there when the page is complete. */
async function read(address: string, shows: string): Promise<readonly string[]> {
  const { server, port, sessions } = await startConsole(heldWorld(30), readAssets(), new ManualClock());
  const origin = `http://127.0.0.1:${port}`;
  const { page } = await watchedPage(browser, { width: 1280, scheme: 'light' }, origin);
  try {
    await page.clock.setFixedTime(NOW);
    await page.goto(`${origin}/login#code=${sessions.code()}`);
    await page.locator('main:not([inert]) h1').first().waitFor();
    await page.goto(`${origin}${address}`);
    await page.getByText(shows).first().waitFor();
    return await readingOf(page);
  } finally {
    await page.context().close();
    closeServer(server);
  }
}

describeWithChromium('what a screen reader reads', () => {
  describeRecorded('console-reading', [
    ['Fleet, in trouble', () => read('/fleet', '1 unavailable')],
    ['a Placement that holds clusters', () => read('/placements/shop/web', 'does not meet it')],
  ]);
});
