import { createServer, request as ask, type Server } from 'node:http';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { waitFor } from '@multicluster-engine/kube-apiserver/testing/wait';
import type { Browser, Page } from 'playwright-core';
import { readAssets } from '../../../src/console/server/assets.js';
import { portOf } from '../../../src/console/server/server.js';
import { systemClock } from '../../../src/runtime/clock.js';
import { textField } from '../../../src/runtime/vocabulary/json.js';
import { axeFaults, closedAfterEach, describeWithChromium, watchedPage } from '../../support/rigs/console/browser.js';
import { launchChromium } from '../../support/rigs/console/chromium.js';
import { closeServer, startConsole, type MemoryConsole, type MemoryHub } from '../../support/rigs/console/hub.js';
import { consoleWorld } from '../../support/rigs/console/worlds.js';

/** Tabs that stay open while the hub, the console or the session changes. */

const LOOK = { width: 1280, scheme: 'light' } as const;
const DRAFT = `apiVersion: cluster.fleetmgmt.io/v1alpha1
kind: Placement
metadata: { name: web, namespace: shop }
spec: { numberOfClusters: 7 }
`;

let browser: Browser;

beforeAll(async () => {
  browser = await launchChromium();
});
afterAll(async () => {
  await browser?.close();
});

interface Tabs {
  readonly started: MemoryConsole;
  readonly assets: { build: string };
  readonly page: Page;
  readonly faults: string[];
  /** What the tabs have asked of the API. */
  readonly asked: string[];
  /** Another tab of the same browser. */
  readonly another: (address: string) => Promise<Page>;
}

const atEnd = closedAfterEach();

async function opened(address: string): Promise<Tabs> {
  const assets = { ...readAssets() };
  const started = await startConsole(consoleWorld(120), assets, systemClock);
  atEnd(() => closeServer(started.server));
  const origin = `http://127.0.0.1:${started.port}`;
  const { page, faults } = await watchedPage(browser, LOOK, origin);
  atEnd(() => page.context().close());
  const asked: string[] = [];
  page.context().on('request', (request) => {
    const [, path] = /\/api\/v1\/(.*)/.exec(request.url()) ?? [];
    if (path !== undefined) asked.push(path);
  });
  // Time goes on as it does, and a test may let some of it pass.
  await page.clock.install();
  await page.goto(`${origin}/login#code=${started.sessions.code()}`);
  await page.locator('main:not([inert]) h1').first().waitFor();
  await page.goto(`${origin}${address}`);
  await page.locator('main h1').first().waitFor();
  return {
    started,
    assets,
    page,
    faults,
    asked,
    another: async (other) => {
      const tab = await page.context().newPage();
      await tab.goto(`${origin}${other}`);
      await tab.locator('main h1').first().waitFor();
      return tab;
    },
  };
}

/** One cluster more, as the first one is. */
function addCluster(hub: MemoryHub, name: string): void {
  const { managedclusters } = hub.world.objects;
  const [first] = managedclusters;
  if (first === undefined) throw new Error('there is no cluster');
  const added = { ...first, metadata: { ...first.metadata, name, uid: `uid of ${name}` } };
  hub.world = { ...hub.world, objects: { ...hub.world.objects, managedclusters: [...managedclusters, added] } };
}

/** As the browser does where another window covers the tab. */
async function setVisible(page: Page, state: 'visible' | 'hidden'): Promise<void> {
  await page.evaluate(`
    Object.defineProperty(document, 'visibilityState', { value: '${state}', configurable: true });
    document.dispatchEvent(new Event('visibilitychange'));`);
}

describeWithChromium('a tab that stays open', () => {
  it('shows a change of the hub, and is sent nothing while nothing changes', async () => {
    const { started, page, faults } = await opened('/fleet?view=table');
    await page.getByText('120 clusters', { exact: true }).waitFor();
    addCluster(started.hub, 'new-cluster');
    await page.getByText('121 clusters', { exact: true }).waitFor();
    const codes: number[] = [];
    page.on('response', (response) => response.url().includes('/api/') && codes.push(response.status()));
    const { lists } = started.hub;
    await waitFor('the hub to be read again', () => started.hub.lists > lists + 12 || undefined);
    expect(new Set(codes)).toEqual(new Set([304]));
    expect(faults).toEqual([]);
  });

  it('asks for nothing while it is hidden, and at once when it is seen again', async () => {
    const { started, page, asked, another } = await opened('/fleet?view=table');
    const other = await another('/placements');
    // Another tab goes on with the session, without another link.
    await other.getByText('shop/web').first().waitFor();
    await setVisible(page, 'hidden');
    await waitFor('the last answer', () => page.evaluate<boolean>('true'));
    const before = asked.length;
    addCluster(started.hub, 'new-cluster');
    const { lists } = started.hub;
    await waitFor('the other tab to have the hub read again', () => started.hub.lists > lists + 12 || undefined);
    expect(asked.slice(before).filter((path) => path.startsWith('fleet'))).toEqual([]);
    await setVisible(page, 'visible');
    await page.getByText('121 clusters', { exact: true }).waitFor();
  });

  it('of a hub that hangs says that it does not answer, and since when', async () => {
    const { started, page } = await opened('/fleet');
    await page.locator('.live-state', { hasText: 'live' }).waitFor();
    let answer = (): void => undefined;
    const hang = new Promise<void>((resolve) => (answer = resolve));
    started.hub.delay = () => hang;
    await page.getByText('The hub cannot be read: what is shown is as of').waitFor();
    await page.locator('.live-state', { hasText: 'as of' }).waitFor();
    expect(await axeFaults(page)).toEqual([]);
    started.hub.delay = undefined;
    answer();
    await page.locator('.live-state', { hasText: 'live' }).waitFor();
  });

  it('of the page before an update asks to be loaded again, and keeps the draft', async () => {
    const { assets, page } = await opened('/what-if');
    await page.getByLabel('Manifests').fill(DRAFT);
    await page.getByText('4 of 4 → 7 of 7').waitFor();
    const { build } = assets;
    assets.build = 'main-ANOTHER1.js';
    await page.getByRole('link', { name: 'Placements' }).click();
    await page.getByText('The console was updated').waitFor();
    expect(await axeFaults(page)).toEqual([]);
    await page.getByRole('button', { name: 'Reload' }).click();
    assets.build = build;
    await page.getByRole('link', { name: 'What if' }).click();
    await page.getByText('4 of 4 → 7 of 7').waitFor();
    expect(await page.getByText('The console was updated').count()).toBe(0);
  });

  it('whose session is over says so above the draft, which another link brings back', async () => {
    const { started, page } = await opened('/what-if');
    await page.getByLabel('Manifests').fill(DRAFT);
    await page.getByText('4 of 4 → 7 of 7').waitFor();
    const stored: unknown = JSON.parse(await page.evaluate(`sessionStorage.getItem('console-credential')`));
    started.sessions.close(textField(stored, 'bearer'));
    await page.getByLabel('Manifests').fill(DRAFT.replace('7', '6'));
    await page.getByText('The session is over').first().waitFor();
    await page.goto(`http://127.0.0.1:${started.port}/login#code=${started.sessions.code()}`);
    await page.getByRole('link', { name: 'What if' }).click();
    await page.getByText('4 of 4 → 6 of 6').waitFor();
  });
});

describeWithChromium('an action', () => {
  it('shows what it does, writes it with the rights of the person, and says how one gets back', async () => {
    const { started, page, faults } = await opened('/placements/shop/web');
    await page.getByRole('button', { name: 'Pause…' }).click();
    expect(new URL(page.url()).search).toBe('?act=pause');
    const panel = page.getByRole('region', { name: 'Pause shop/web' });
    await panel.getByText('clusters stay, and none comes in').waitFor();
    await panel.getByText('kubectl mce pause placement web -n shop').waitFor();
    await panel.getByRole('button', { name: 'Pause with my rights' }).click();
    await panel.getByText('Shop/web is paused. To undo it:').waitFor();
    await panel.getByText('kubectl mce resume placement web -n shop').waitFor();
    expect(await axeFaults(page)).toEqual([]);
    expect(started.hub.sent.map(({ body = '' }) => JSON.parse(body).spec)).toEqual([{ paused: true }]);
    await page.getByRole('button', { name: 'Resume…' }).waitFor();
    expect(faults).toEqual([]);
  });

  it('that somebody else has made meanwhile is not made again, and a viewer is told who may', async () => {
    const { started, page } = await opened('/clusters/cluster-4?act=cordon');
    const panel = page.getByRole('region', { name: 'Cordon cluster-4' });
    await page.locator('button:enabled', { hasText: 'Cordon with my rights' }).waitFor();
    const { hub } = started;
    const managedclusters = hub.world.objects.managedclusters.map((one) =>
      one.metadata.name === 'cluster-4'
        ? { ...one, metadata: { ...one.metadata, resourceVersion: '2' }, spec: { maintenance: 'Draining' } }
        : one,
    );
    hub.world = { ...hub.world, objects: { ...hub.world.objects, managedclusters } };
    await panel.getByRole('button', { name: 'Cordon with my rights' }).click();
    await panel.getByText('cluster-4 is cordoned already. There is nothing to do.').waitFor();
    expect(hub.written).toEqual([]);

    hub.allows = (verb) => verb === 'list';
    await page.getByRole('button', { name: 'Uncordon…' }).click();
    await page.getByText('You may not patch it').waitFor();
    expect(await page.getByRole('button', { name: 'Uncordon with my rights' }).isDisabled()).toBe(true);
    await page.getByText('kubectl auth can-i patch managedclusters/cluster-4').waitFor();
    expect(await axeFaults(page)).toEqual([]);
  });
});

describeWithChromium('a draft', () => {
  it('is planned again as the fleet moves, and applied only as it was seen', async () => {
    const { started, page, faults } = await opened('/what-if');
    await page.getByLabel('Manifests').fill(DRAFT);
    await page.getByText('4 of 4 → 7 of 7').waitFor();
    const [gone] = await page.locator('.planned .moves a').allTextContents();
    const { hub } = started;
    const { managedclusters } = hub.world.objects;
    const left = managedclusters.filter(({ metadata }) => metadata.name !== gone);
    await page.clock.fastForward(10_000);
    hub.world = { ...hub.world, objects: { ...hub.world.objects, managedclusters: left } };

    await page.getByText('The fleet has moved since you wrote this').waitFor();
    await page.getByText(`no longer comes in: ${gone}`).waitFor();
    expect(await axeFaults(page)).toEqual([]);
    const apply = page.getByRole('button', { name: 'Apply with my rights' });
    await apply.click();
    await page.getByText('Nothing was applied: the fleet has moved').waitFor();
    expect(hub.written).toEqual([]);
    await page.getByText(`no longer comes in: ${gone}`).waitFor();
    await apply.click();
    await page.getByText('Applied: Placement shop/web').waitFor();
    expect(hub.written).toEqual(['update placements.cluster.fleetmgmt.io web']);
    expect(faults).toEqual([]);
  });

  it('shows the loss of each value of a key as a table, of which each cell leads to that loss', async () => {
    const { page } = await opened('/what-if?begin=each:label/region');
    const table = page.getByRole('region', { name: 'The loss of each value of label region' });
    await table.waitFor();
    expect(await table.getByRole('rowheader').allTextContents()).toEqual(expect.arrayContaining(['shop/web']));
    expect(await axeFaults(page)).toEqual([]);
    expect(await page.getByRole('button', { name: 'Apply with my rights' }).isDisabled()).toBe(true);
    await table.getByTitle('shop/web without eu-west').click();
    await page.getByText('Without 30 of 120 clusters').waitFor();
    expect(new URL(page.url()).search).toBe('?begin=lose:label%2Fregion%3Deu-west');
    // A link that was sent shows the same, and Back the table.
    await page.reload();
    await page.getByText('Without 30 of 120 clusters').waitFor();
    await page.goBack();
    await table.waitFor();
    // What somebody changes has no address.
    await page.getByRole('button', { name: 'Take away lose each' }).click();
    await page.getByText('Nothing is planned yet').waitFor();
    expect(new URL(page.url()).search).toBe('');
  });
});

/** Shows the console below `/mce`, under an address of its own, as nginx and others do. */
async function proxyTo(port: number): Promise<{ readonly server: Server; readonly origin: string }> {
  const server = createServer((request, response) => {
    const path = (request.url ?? '').replace(/^\/mce(?=\/)/, '');
    if (path === request.url) return void response.writeHead(404).end();
    const { origin: _other, ...headers } = request.headers;
    const sent = { ...headers, host: `127.0.0.1:${port}`, 'x-forwarded-prefix': '/mce' };
    const upstream = ask({ port, path, method: request.method ?? '', headers: sent }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    upstream.on('error', () => response.destroy());
    request.pipe(upstream);
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  return { server, origin: `http://127.0.0.1:${portOf(server)}` };
}

describeWithChromium('a console below a path of a proxy', () => {
  it('opens, follows its links, plans, and is the same after a reload', async () => {
    const started = await startConsole(consoleWorld(120), readAssets(), systemClock);
    atEnd(() => closeServer(started.server));
    const { server, origin } = await proxyTo(started.port);
    atEnd(() => closeServer(server));
    const { page, faults } = await watchedPage(browser, LOOK, `${origin}/mce`);
    atEnd(() => page.context().close());
    await page.goto(`${origin}/mce/login#code=${started.sessions.code()}`);
    await page.getByText('120 clusters', { exact: true }).waitFor();
    expect(new URL(page.url()).pathname).toBe('/mce/fleet');
    await page.getByRole('link', { name: 'Placements' }).click();
    await page.getByRole('link', { name: 'shop/web' }).click();
    await page.reload();
    await page.getByRole('link', { name: 'Edit in What if' }).click();
    expect(new URL(page.url()).pathname).toBe('/mce/what-if');
    await page.getByLabel('Manifests').fill(DRAFT);
    await page.getByText('4 of 4 → 7 of 7').waitFor();
    await page.goBack();
    await page.locator('main h1', { hasText: 'web' }).waitFor();
    expect(faults).toEqual([]);
  });
});
