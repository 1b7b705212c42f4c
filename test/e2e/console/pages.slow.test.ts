import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { waitFor } from '@multicluster-engine/kube-apiserver/testing/wait';
import { readAssets } from '../../../src/console/server/assets.js';
import { worldOf, type World } from '../../../src/answers/world/world.js';
import { systemClock } from '../../../src/runtime/clock.js';
import {
  axeFaults,
  closedAfterEach,
  describeWithChromium,
  showsUnseen,
  sidewaysPixels,
  tabTo,
  watchedPage,
  type Look,
} from '../../support/rigs/console/browser.js';
import { CANARY, startTokenConsole } from '../../support/rigs/console/tokens.js';
import { portOf } from '../../../src/console/server/server.js';
import { issueServingCertificate } from '../../../src/runtime/tls/serving.js';
import { launchChromium } from '../../support/rigs/console/chromium.js';
import { closeServer, startConsole, type MemoryConsole, type MemoryHub } from '../../support/rigs/console/hub.js';
import { ROLES, STORIES } from '../../support/rigs/console/stories.js';
import {
  consoleEvents,
  consoleWorld,
  documentsWorld,
  editedWorld,
  heldWorld,
  withSpec,
} from '../../support/rigs/console/worlds.js';
import { hostileEvents, hostileWorld, NAME_ATTACK } from '../../support/rigs/console/hostile.js';
import { exampleClusters } from '../../support/builders/examplefleet.js';
import { rawEngine } from '../../support/builders/hubinput.js';
import { root } from '../../support/repository/root.js';

/** Every page in a real browser: what it does there, and pictures to look at, in .run/console/index.html. */

interface Scene {
  readonly name: string;
  readonly world: () => World;
  readonly address: string;
  /** What is there when the page is complete. */
  readonly shows: string;
  readonly before?: (hub: MemoryHub) => void;
  readonly act?: (page: Page) => Promise<void>;
  /** Its picture in the documents: UPDATE_PICTURES=1 makes it anew. */
  readonly document?: string;
}

const FLEET = (): World => consoleWorld(120);
const EMPTY = (): World => worldOf({});
const DRAFT = `apiVersion: cluster.fleetmgmt.io/v1alpha1
kind: Placement
metadata: { name: web, namespace: shop }
spec: { numberOfClusters: 7 }
`;

const WEB = encodeURIComponent(`web${NAME_ATTACK}`);
const MAIL = encodeURIComponent(`mail${NAME_ATTACK}`);
const SCRIPT = encodeURIComponent('<script>alert(1)</script>');
/** Addresses of a fleet whose every text attacks, and some that attack themselves. */
const HOSTILE: readonly (readonly [name: string, address: string, shows: string])[] = [
  ['fleet', '/fleet?view=table', 'cluster-1<img'],
  ['map', '/fleet?group=label:region', 'eu-west <img'],
  ['colors', `/fleet?color=score:shop/${MAIL}`, 'Color by'],
  ['filter', `/fleet?q=${SCRIPT}`, 'Leave out a term'],
  ['fault of a filter', `/fleet?q=own:${SCRIPT}`, 'unknown field own'],
  ['placements', '/placements', 'web<img'],
  ['placement', `/placements/shop/${WEB}?show=all`, 'own<img'],
  ['history', `/placements/shop/${MAIL}`, 'Changed since kubectl apply'],
  ['why', `/placements/shop/${WEB}?show=all&why=cluster-1${encodeURIComponent(NAME_ATTACK)}`, 'Why cluster-1<img'],
  ['absent placement', `/placements/shop/${SCRIPT}`, 'Placement shop/<script>alert(1)</script> was not found'],
  ['cluster', `/clusters/cluster-30${encodeURIComponent(NAME_ATTACK)}`, 'Who has edited it'],
  ['absent cluster', `/clusters/${SCRIPT}`, 'ManagedCluster <script>alert(1)</script> was not found'],
  ['set', `/sets/edge${encodeURIComponent(NAME_ATTACK)}`, 'Members'],
  ['engine', '/engine', '1 of 2 available'],
  ['events', '/events', '$(reboot)'],
  ['events of one', `/events?about=Placement/shop/${WEB}&q=${SCRIPT}`, 'No event matches'],
  ['loss', '/what-if?begin=each:label/region', 'eu-west <img'],
  ['beginning', `/what-if?begin=placement:shop/${encodeURIComponent('<script>')}`, 'The draft is the one of before'],
  ['pause', `/placements/shop/${WEB}?act=pause`, 'Pause with my rights'],
  ['yaml', `/yaml/placements/shop/${MAIL}`, '\\u202e'],
  ['unknown page', `/${SCRIPT}/${SCRIPT}`, 'There is no such page'],
];

/** What each page says where the definition of cluster sets was deleted: never that all is well, or that nothing is there. */
const GONE: readonly (readonly [name: string, address: string, shows: string])[] = [
  ['fleet', '/fleet?color=placement:shop/web', 'not known'],
  ['filter', '/fleet?q=set:production', 'set:production: not known'],
  ['placements', '/placements', 'when it was last decided: Satisfied'],
  ['set', '/sets/production', 'to help: kubectl apply --server-side -f crds/'],
  ['placement', '/placements/shop/web', 'When it was last decided it was satisfied'],
  ['why', '/placements/shop/web?why=cluster-5', 'cluster cluster-5 is not in the decision; more is not known'],
  ['cluster', '/clusters/cluster-1', 'Which others it matches is not known: managedclustersets cannot be read'],
  ['loss', '/what-if?begin=lose:label/region=eu-west', 'What changes is not known of 4 Placements'],
];

const SCENES: readonly Scene[] = [
  { name: 'fleet, map', world: FLEET, address: '/fleet', shows: 'Group by', document: 'console-fleet' },
  { name: 'fleet, table', world: FLEET, address: '/fleet?view=table&sort=health', shows: 'cluster-8' },
  { name: 'fleet, no match', world: FLEET, address: '/fleet?q=set:edge+health:deleting', shows: 'Leave out a term' },
  { name: 'fleet, empty', world: EMPTY, address: '/fleet', shows: 'There is no cluster yet' },
  { name: 'placements', world: FLEET, address: '/placements', shows: 'partially satisfied' },
  {
    name: 'placement, all',
    world: documentsWorld,
    address: '/placements/shop/web?show=all',
    shows: 'rank 1',
    document: 'console-placement',
  },
  { name: 'placement, near', world: FLEET, address: '/placements/shop/web?show=near', shows: 'wanted region=eu-west' },
  { name: 'placement, prefers', world: FLEET, address: '/placements/shop/mail', shows: 'Spread by' },
  { name: 'placement, pause', world: FLEET, address: '/placements/shop/web?act=pause', shows: 'Pause with my rights' },
  {
    name: 'placement, resume',
    world: () => withSpec(FLEET(), 'placements', 'web', { paused: true, numberOfClusters: 14 }),
    address: '/placements/shop/web?act=resume',
    shows: 'Resume with my rights',
    act: (page) => page.locator('.planned').getByText('shop/web').waitFor(),
  },
  { name: 'placement, short', world: FLEET, address: '/placements/shop/api?show=out', shows: 'partially satisfied' },
  {
    name: 'placement, held',
    world: () => heldWorld(120),
    address: '/placements/shop/web',
    shows: 'kubectl mce release placement web -n shop',
  },
  {
    name: 'placement, release',
    world: () => heldWorld(120),
    address: '/placements/shop/web?act=release',
    shows: 'Release with my rights',
    act: (page) => page.getByText('may leave until').first().waitFor(),
  },
  {
    name: 'placement, paused, viewer',
    world: () => withSpec(FLEET(), 'placements', 'web', { paused: true }),
    address: '/placements/shop/web?act=resume',
    shows: 'You may not patch it',
    before: (hub) => (hub.allows = (verb) => verb === 'list'),
  },
  {
    name: 'placement, paused now',
    world: FLEET,
    address: '/placements/shop/web?act=pause',
    shows: 'Pause with my rights',
    act: async (page) => {
      await page.locator('button:enabled', { hasText: 'Pause with my rights' }).click();
      await page.getByText('To undo it:').waitFor();
    },
  },
  {
    name: 'placement, edited',
    world: () => editedWorld(120),
    address: '/placements/shop/mail',
    shows: 'Changed since kubectl apply',
  },
  {
    name: 'placement, why',
    world: FLEET,
    address: '/placements/shop/web?show=all&why=cluster-4',
    shows: 'Why cluster-4?',
  },
  {
    name: 'placement, gone',
    world: FLEET,
    address: '/placements/shop/none',
    shows: 'Placement shop/none was not found',
  },
  { name: 'cluster, drain', world: FLEET, address: '/clusters/cluster-3?act=drain', shows: 'Drain with my rights' },
  { name: 'cluster, silent', world: FLEET, address: '/clusters/cluster-4', shows: 'silent' },
  {
    name: 'cluster, cordoned',
    world: () => withSpec(FLEET(), 'managedclusters', 'cluster-3', { maintenance: 'Cordoned' }),
    address: '/clusters/cluster-3?act=uncordon',
    shows: 'Uncordon with my rights',
  },
  {
    name: 'cluster, waits',
    world: () => withSpec(heldWorld(120), 'placements', 'web', { paused: true, disruptionBudget: undefined }),
    address: '/clusters/cluster-3',
    shows: 'waits: label tier=gold, wanted tier=platinum',
    act: (page) => page.locator('td .badge', { hasText: 'waiting' }).waitFor(),
  },
  { name: 'cluster, edited', world: () => editedWorld(120), address: '/clusters/cluster-30', shows: 'kubectl-label' },
  {
    name: 'what if',
    world: documentsWorld,
    address: '/what-if?begin=placement:shop/web',
    shows: 'Apply with my rights',
    act: async (page) => {
      const draft = await draftWith(page, 'numberOfClusters: 3');
      await page.getByLabel('Manifests').fill(draft.replace('numberOfClusters: 3', 'numberOfClusters: 4'));
      await page.getByText('3 of 3 → 4 of 4').waitFor();
    },
    document: 'console-what-if',
  },
  {
    name: 'what if, fault',
    world: FLEET,
    address: '/what-if',
    shows: 'Nothing is planned yet',
    act: async (page) => {
      await page.getByLabel('Manifests').fill(DRAFT.replace('7', '-7'));
      await page.getByText('spec.numberOfClusters: Invalid value').waitFor();
      await page.locator('.gutter .bad', { hasText: '4' }).waitFor();
    },
  },
  {
    name: 'what if, not finished',
    world: FLEET,
    address: '/what-if?begin=labels:cluster-3',
    shows: 'Not finished',
    act: async (page) => {
      expect(await page.getByText('Nothing to apply').count()).toBe(0);
      await page.getByRole('button', { name: '+ Manifest' }).click();
      await page.getByLabel('Manifests').fill('# \u202eevil');
      await page.getByText('Characters are not seen here').waitFor();
      await page.locator('[data-chips="labels"] input').fill('cluster-3:tier=silver');
      await page.getByText('All Placements together: ').waitFor();
    },
  },
  { name: 'yaml', world: documentsWorld, address: '/yaml/placements/shop/web', shows: 'numberOfClusters: 3' },
  {
    name: 'yaml, gone',
    world: FLEET,
    address: '/yaml/managedclusters/none',
    shows: 'ManagedCluster none was not found',
  },
  { name: 'unknown page', world: FLEET, address: '/none', shows: 'There is no such page' },
  {
    name: 'what if, loss',
    world: FLEET,
    address: '/what-if',
    shows: 'Nothing is planned yet',
    act: async (page) => {
      await page.getByRole('button', { name: '+ Lose', exact: true }).click();
      await page.locator('[data-chips] input:focus').waitFor();
      await page.keyboard.type('label/region=eu-west');
      await page.getByText('Without 30 of 120 clusters').waitFor();
      await page.getByRole('region', { name: 'Clusters, as the plan leaves them' }).waitFor();
    },
  },
  {
    name: 'what if, loss by a word',
    world: FLEET,
    address: '/what-if',
    shows: 'Nothing is planned yet',
    act: async (page) => {
      await page.getByRole('button', { name: '+ Lose', exact: true }).click();
      await page.locator('[data-chips="losses"] input:focus').waitFor();
      await page.keyboard.type('eu-w');
      await page.getByRole('option', { name: 'lose label/region=eu-west' }).waitFor();
      await page.keyboard.press('Enter');
      await page.getByText('Without 30 of 120 clusters').waitFor();
      expect(await page.getByLabel('lose, 1').inputValue()).toBe('label/region=eu-west');
    },
  },
  {
    name: 'what if, loss of each',
    world: FLEET,
    address: '/what-if?begin=each:label/region',
    shows: 'The loss of each value of label region',
  },
  {
    name: 'the box',
    world: FLEET,
    address: '/what-if',
    shows: 'Nothing is planned yet',
    act: async (page) => {
      await page.keyboard.press('Control+k');
      await page.getByRole('option', { name: 'silent' }).waitFor();
      await page.keyboard.type('cluster-1');
      const options = page.getByRole('option');
      await options.getByText('cluster-2', { exact: true }).waitFor({ state: 'detached' });
      await page.getByText('more: write more of the name').waitFor();
      const names = await options.locator('bdi').allTextContents();
      expect(names.slice(0, 4)).toEqual(['cluster-1', 'cluster-10', 'cluster-11', 'cluster-12']);
    },
  },
  {
    name: 'the box, nothing',
    world: FLEET,
    address: '/what-if',
    shows: 'Nothing is planned yet',
    act: async (page) => {
      await page.keyboard.press('/');
      await page.keyboard.type('nonesuch');
      await page.keyboard.press('Enter');
      await page.getByText('Nothing that you may read has this name').waitFor();
    },
  },
  {
    name: 'the box, a guess',
    world: FLEET,
    address: '/what-if',
    shows: 'Nothing is planned yet',
    act: async (page) => {
      await page.keyboard.press('/');
      await page.keyboard.type('why clsuter-4 wbe');
      await page.getByText('did you mean one of these').waitFor();
      await page.keyboard.press('Enter');
      await page.getByRole('option', { name: 'why cluster-4 shop/web' }).waitFor();
    },
  },
  {
    name: 'fleet, a filter that is written',
    world: FLEET,
    address: '/fleet',
    shows: 'Group by',
    act: async (page) => {
      await page.getByLabel('Filter clusters').fill('set:edge label:ti');
      await page.getByRole('option', { name: 'set:edge label:tier=silver' }).click();
      await page.getByText('8 of 120 match').waitFor();
    },
  },
  {
    name: 'placement, a cluster of another set',
    world: FLEET,
    address: '/placements/shop/web?q=cluster-119',
    shows: 'In none of the cluster sets that it selects from',
    act: async (page) => {
      await page.getByRole('button', { name: 'Why cluster-119' }).click();
      await page.getByRole('dialog').getByText('cluster-119 is not selected').waitFor();
    },
  },
  {
    name: 'fleet by one Placement',
    world: FLEET,
    address: '/fleet?color=placement:shop/web&group=label:region',
    shows: 'not in an eligible set',
  },
  {
    name: 'fleet, under maintenance',
    world: () => withSpec(FLEET(), 'managedclusters', 'cluster-3', { maintenance: 'Cordoned' }),
    address: '/fleet',
    shows: '14 of 120 clusters and 2 of 4 Placements need attention. 1 cluster under maintenance.',
  },
  { name: 'fleet by score', world: FLEET, address: '/fleet?color=score:shop/mail', shows: 'Color by' },
  { name: 'fleet by version', world: FLEET, address: '/fleet?color=version', shows: 'v1.36.3' },
  {
    name: 'fleet, nothing wrong',
    world: () => worldOf({ managedclusters: exampleClusters() }),
    address: '/fleet',
    shows: 'A Placement names the clusters that an application wants',
    act: (page) => page.getByText('9 clusters: none is silent').waitFor(),
  },
  {
    name: 'fleet, a word explained',
    world: FLEET,
    address: '/fleet',
    shows: 'need attention',
    act: async (page) => {
      await page.locator('.term', { hasText: 'silent' }).focus();
      await page.getByRole('tooltip').getByText('no renewal was observed').waitFor();
    },
  },
  { name: 'engine', world: FLEET, address: '/engine', shows: '1 of 2 available' },
  {
    name: 'set, bound to nobody',
    world: FLEET,
    address: '/sets/staging',
    shows: 'kubectl mce clusterset bind staging',
  },
  { name: 'set', world: FLEET, address: '/sets/production', shows: 'cluster-4' },
  {
    name: 'engine, paused',
    world: () => ({
      ...FLEET(),
      objects: { ...FLEET().objects, multiclusterengines: [{ ...rawEngine(), spec: { paused: true } }] },
    }),
    address: '/engine',
    shows: 'While spec.paused is true',
  },
  { name: 'events', world: FLEET, address: '/events', shows: 'PlacementUnsatisfied' },
  {
    name: 'withheld',
    world: FLEET,
    address: '/placements/shop/web',
    shows: 'needs list managedclusters',
    before: (hub) => (hub.allows = (_verb, plural) => plural !== 'managedclusters'),
  },
  {
    name: 'cluster, withheld',
    world: FLEET,
    address: '/clusters/cluster-3',
    shows: 'Needs list managedclusters: whether there is ManagedCluster cluster-3 is not known.',
    before: (hub) => (hub.allows = (_verb, plural) => plural !== 'managedclusters'),
  },
  {
    name: 'cluster, decisions withheld',
    world: FLEET,
    address: '/clusters/cluster-3?act=drain',
    shows: 'what it would select is not known',
    before: (hub) => (hub.allows = (_verb, plural) => plural !== 'placementdecisions'),
  },
  {
    name: 'what if, withheld',
    world: FLEET,
    address: '/what-if?begin=placement:shop/web',
    shows: 'what it would select is not known',
    before: (hub) => (hub.allows = (_verb, plural) => plural !== 'managedclusters'),
  },
  {
    name: 'what if, Placements withheld',
    world: FLEET,
    address: '/what-if',
    shows: 'Nothing is planned yet',
    before: (hub) => (hub.allows = (_verb, plural) => plural !== 'placements'),
    act: async (page) => {
      await page.getByRole('button', { name: '+ Label', exact: true }).click();
      await page.locator('[data-chips] input:focus').waitFor();
      await page.keyboard.type('cluster-3:tier=silver');
      await page.getByText('What it does to Placements is not known.').waitFor();
      expect(await page.getByText('0 Placements').count()).toBe(0);
    },
  },
  ...GONE.map(([name, address, shows]): Scene => ({
    name: `definition gone, ${name}`,
    world: FLEET,
    before: (hub) => void hub.unserved.add('managedclustersets'),
    address,
    shows,
    act: async (page) => {
      await page.getByText('the hub does not serve managedclustersets').first().waitFor();
      for (const text of ['as before', 'was not found', 'not in an eligible set'])
        expect([text, await page.getByText(text).count()]).toEqual([text, 0]);
      expect(await page.locator('.badge.ok').count()).toBe(0);
    },
  })),
  ...HOSTILE.map(([name, address, shows]): Scene => ({
    name: `hostile ${name}`,
    world: () => hostileWorld(40),
    before: (hub) => (hub.events = hostileEvents()),
    address,
    shows,
  })),
];
const WIDE: Look = { width: 1280, scheme: 'light' };
const NARROW: Look = { width: 360, scheme: 'dark' };
/** Without rules of access: axe does not know the colors of a system, and a zoomed page is a narrow one. */
const LOOKS: readonly {
  readonly name: string;
  readonly width: number;
  readonly make: (page: Page) => Promise<void>;
}[] = [
  { name: 'forced', width: 360, make: (page) => page.emulateMedia({ forcedColors: 'active' }) },
  {
    // A window of 1280 pixels at 200 %.
    name: 'zoomed',
    width: 640,
    make: async (page) => {
      await page.emulateMedia({ forcedColors: 'none', colorScheme: 'light' });
      await page.setViewportSize({ width: 640, height: 430 });
    },
  },
];
const PICTURES = path.join(root, '.run', 'console');

let browser: Browser;
const shots: { readonly title: string; readonly file: string }[] = [];

beforeAll(async () => {
  mkdirSync(PICTURES, { recursive: true });
  browser = await launchChromium();
});
afterAll(async () => {
  const figures = shots.map(
    ({ title, file }) => `<figure><figcaption>${title}</figcaption><img src="${file}" alt=""></figure>`,
  );
  const style =
    'body{font-family:sans-serif}figure{display:inline-block;vertical-align:top;margin:8px}img{border:1px solid}';
  writeFileSync(path.join(PICTURES, 'index.html'), `<!doctype html><style>${style}</style>${figures.join('\n')}`);
  await browser?.close();
});

/** The menu of commands, where the page has one, makes it no wider, and is not cut. */
async function expectMenuWithin(page: Page): Promise<void> {
  const button = page.locator('main:not([inert]) .commands > summary');
  // Under a dialog nothing can be pressed.
  if ((await button.count()) === 0 || (await page.locator('dialog[open]').count()) > 0) return;
  await button.click();
  expect(await sidewaysPixels(page)).toBe(0);
  expect((await page.locator('.commands .menu').boundingBox())?.x).toBeGreaterThanOrEqual(0);
  await button.click();
}

/** The draft, as soon as it has `text`. It is read, not evaluated: the policy of the pages forbids that. */
function draftWith(page: Page, text: string): Promise<string> {
  return waitFor(`a draft with ${text}`, async (seen) => {
    const draft = await page.getByLabel('Manifests').inputValue();
    seen(draft);
    return draft.includes(text) && draft;
  });
}

const atEnd = closedAfterEach();

async function opened(world: World, look: Look, before?: Scene['before']): Promise<Opened> {
  const started = await startConsole(world, readAssets(), systemClock);
  started.hub.events = consoleEvents();
  before?.(started.hub);
  const origin = `http://127.0.0.1:${started.port}`;
  atEnd(() => closeServer(started.server));
  const watched = await watchedPage(browser, look, origin);
  atEnd(() => watched.page.context().close());
  await watched.page.goto(`${origin}/login#code=${started.sessions.code()}`);
  await watched.page.locator('main:not([inert]) h1').first().waitFor();
  return { ...watched, started, origin };
}

interface Opened {
  readonly page: Page;
  readonly faults: string[];
  readonly started: MemoryConsole;
  readonly origin: string;
}

function setPlacements(hub: MemoryHub, placements: World['objects']['placements']): void {
  hub.world = { ...hub.world, objects: { ...hub.world.objects, placements } };
}

async function documentPicture(page: Page, name: string | undefined): Promise<void> {
  if (name === undefined || process.env['UPDATE_PICTURES'] !== '1') return;
  await page.setViewportSize({ width: 1280, height: 720 });
  await page.screenshot({ path: path.join(root, 'docs', 'pictures', `${name}.png`) });
}

async function picture(page: Page, name: string, { width, scheme }: { width: number; scheme: string }): Promise<void> {
  const file = `${name.replaceAll(/\W+/g, '-')}-${width}-${scheme}.png`;
  await page.screenshot({ path: path.join(PICTURES, file), fullPage: true });
  shots.push({ title: `${name}, ${width}, ${scheme}`, file });
}

describeWithChromium('the pages of the console', () => {
  it.each(SCENES.map((scene) => [scene.name, scene] as const))(
    '%s breaks no rule of access, no layout and no policy, wide and light, narrow and dark',
    async (name, scene) => {
      const one = await opened(scene.world(), WIDE, scene.before);
      const { page, origin, faults } = one;
      await page.goto(`${origin}${scene.address}`);
      await page.getByText(scene.shows).first().waitFor();
      await scene.act?.(page);
      expect(await showsUnseen(page)).toBe(name === 'what if, not finished');
      for (const look of [WIDE, NARROW]) {
        await page.setViewportSize({ width: look.width, height: look.width < 500 ? 740 : 860 });
        await page.emulateMedia({ colorScheme: look.scheme });
        await picture(page, name, look);
        if (look === WIDE) await documentPicture(page, scene.document);
        expect(await axeFaults(page)).toEqual([]);
        expect(await sidewaysPixels(page)).toBe(0);
      }
      for (const look of LOOKS) {
        await look.make(page);
        await picture(page, name, { width: look.width, scheme: look.name });
        expect(await sidewaysPixels(page)).toBe(0);
        await expectMenuWithin(page);
      }
      expect(faults).toEqual([]);
    },
  );

  it('a hub that ends is said, with the time of what is shown, and so is a console that ends', async () => {
    const one = await opened(FLEET(), WIDE);
    const { page, started } = one;
    started.hub.isDown = true;
    await page.getByText('The hub cannot be read: what is shown is as of').waitFor();
    expect(await page.getByText('120 clusters', { exact: true }).count()).toBe(1);
    await picture(page, 'stale', WIDE);

    closeServer(started.server);
    await page.getByText('is its command still running?').waitFor();
    await picture(page, 'lost', WIDE);
  });

  it('what somebody else has changed is shown before it is overwritten', async () => {
    const one = await opened(FLEET(), WIDE);
    const { page, origin, started } = one;
    await page.goto(`${origin}/what-if?begin=placement:shop/web`);
    // The draft begins with what is stored.
    await draftWith(page, 'numberOfClusters: 4');
    await page.getByLabel('Manifests').fill(DRAFT);
    await page.getByText('shop/web').first().waitFor();
    const { placements } = started.hub.world.objects;
    const changed = placements.map((object) =>
      object.metadata.name === 'web'
        ? { ...object, metadata: { ...object.metadata, resourceVersion: '2', labels: { team: 'theirs' } } }
        : object,
    );
    setPlacements(started.hub, changed);

    await page.getByRole('button', { name: 'Apply with my rights' }).click();
    await page.getByText('was changed since this draft began').waitFor();
    await page.getByLabel('The change on the hub').getByText('team: theirs').waitFor();
    expect(await page.getByRole('button', { name: 'Apply with my rights' }).isDisabled()).toBe(true);
    // The three texts: mine is in the editor.
    await page.getByText('The manifest on the hub').first().click();
    await page.getByLabel('The manifest on the hub').getByText('team: theirs').waitFor();
    await page.getByText('The manifest that this draft began with').click();
    const base = await page.getByLabel('The manifest that this draft began with').textContent();
    expect([base?.includes('numberOfClusters: 4'), base?.includes('theirs')]).toEqual([true, false]);
    await picture(page, 'what if, conflict', WIDE);
    await page.getByRole('button', { name: 'Begin again with the manifest on the hub' }).click();
    await draftWith(page, 'team: theirs');
    await page.getByText('Nothing to apply: the hub has it so already.').waitFor();
    // What was written is not lost by that.
    await page.getByRole('button', { name: 'Bring back the draft before' }).click();
    expect(await page.getByLabel('Manifests').inputValue()).toBe(DRAFT);
    // Nor is what it was begun on.
    await page.getByRole('button', { name: 'Overwrite the change' }).click();
    await page.locator('button:enabled', { hasText: 'Apply with my rights' }).waitFor();

    setPlacements(started.hub, []);
    await page.getByRole('button', { name: 'Apply with my rights' }).click();
    await page.getByText('Placement shop/web was deleted since this draft began').waitFor();
    await picture(page, 'what if, deleted', WIDE);
    await page.getByRole('button', { name: 'Create it again' }).click();
    await page.locator('button:enabled', { hasText: 'Apply with my rights' }).waitFor();
    expect(started.hub.written).toEqual([]);
  });

  it('an address that names no Placement is said, and keeps the draft; a draft that is cleared comes back', async () => {
    const one = await opened(FLEET(), WIDE);
    const { page, origin, started } = one;
    await page.goto(`${origin}/what-if`);
    await page.getByLabel('Manifests').fill(DRAFT);
    await page.goto(`${origin}/what-if?begin=placement:shop/none`);
    await page.getByText('Placement shop/none was not found. The draft is the one of before.').waitFor();
    expect(await page.getByLabel('Manifests').inputValue()).toBe(DRAFT);
    await page.getByRole('button', { name: 'Clear' }).click();
    await page.getByText('Nothing is planned yet').waitFor();
    await page.getByRole('button', { name: 'Bring back the draft before' }).click();
    expect(await page.getByLabel('Manifests').inputValue()).toBe(DRAFT);

    // Another plan of the same person was under way: it is asked for again.
    const status = {
      kind: 'Status',
      apiVersion: 'v1',
      status: 'Failure',
      code: 429,
      reason: 'Refused',
      message: 'busy',
    };
    await page.route('**/api/v1/plan', (route) => route.fulfill({ status: 429, json: status }), { times: 1 });
    await page.getByLabel('Manifests').fill(DRAFT.replace('7', '6'));
    await page.getByText('→ 6 of 6').waitFor();

    const apply = page.getByRole('button', { name: 'Apply with my rights' });
    await page.locator('button:enabled', { hasText: 'Apply with my rights' }).waitFor();
    started.hub.isDown = true;
    await page.getByText('Nothing is applied while the hub cannot be read.').waitFor();
    expect(await apply.isDisabled()).toBe(true);
  });

  it('a loss that moves many clusters of many Placements makes few elements, and a list is read once it is opened', async () => {
    const world = consoleWorld(600);
    const [first] = world.objects.placements;
    const many = Array.from({ length: 60 }, (_, index) => ({
      ...first,
      metadata: { name: `app-${index}`, namespace: 'shop', uid: `app-${index}`, resourceVersion: '1' },
      spec: {},
    }));
    const one = await opened(world, WIDE, (hub) => setPlacements(hub, many));
    const { page, origin } = one;
    await page.goto(`${origin}/what-if`);
    await page.getByRole('button', { name: '+ Lose', exact: true }).click();
    await page.locator('[data-chips] input:focus').waitFor();
    await page.keyboard.type('label/region=eu-west');
    await page.getByText('Without 150 of 600 clusters').waitFor();
    await page.getByText('1–20 of 60').waitFor();
    await page.getByRole('button', { name: /more$/ }).first().click();
    const rows = page.getByRole('rowgroup', { name: 'Clusters, lost, rows' });
    await rows.getByRole('link').first().waitFor();
    await rows.press('End');
    const last = await page.getByRole('table', { name: 'Clusters, lost' }).getAttribute('aria-rowcount');
    expect(Number(last)).toBeGreaterThan(80);
    await rows.locator(`[aria-rowindex="${last}"] a`).waitFor();
    await picture(page, 'what if, large loss', WIDE);
    expect(await axeFaults(page)).toEqual([]);
    expect(await page.locator('*').count()).toBeLessThan(3_000);
    await page.getByRole('button', { name: 'Next' }).click();
    await page.getByText('21–40 of 60').waitFor();
  });

  it('without a session the page says where a link comes from, and a link that was used says so', async () => {
    const one = await opened(FLEET(), WIDE);
    const { page, origin, started } = one;
    await page.evaluate('sessionStorage.clear()');
    await page.goto(`${origin}/placements`);
    await page.getByText('There is no session').waitFor();
    await picture(page, 'no session', WIDE);

    const code = started.sessions.code();
    started.sessions.open(code);
    await page.goto(`${origin}/login#code=${code}`);
    await page.getByText('The link was used already').waitFor();
    expect(new URL(page.url()).hash).toBe('');
  });
});

describeWithChromium('on a hub', () => {
  it('a token opens the page, by keyboard alone, a wrong one says why, and nobody sees what another person has read', async () => {
    const pair = await issueServingCertificate({ names: ['localhost'], now: Date.now() });
    const { api, server, people } = await startTokenConsole(readAssets(), systemClock, {
      cert: pair.certificate,
      key: pair.privateKey,
    });
    const origin = `https://localhost:${portOf(server)}`;
    atEnd(() => (people.close(), closeServer(server)));
    const { page, faults } = await watchedPage(browser, WIDE, origin);
    atEnd(() => page.context().close());
    await page.goto(`${origin}/fleet`);
    await page.getByText('Log in with a token of the hub').waitFor();
    await page.keyboard.type('wrong');
    await page.keyboard.press('Enter');
    await page.getByText('it is no JSON web token').waitFor();
    expect(await axeFaults(page)).toEqual([]);
    await picture(page, 'log in with a token', WIDE);
    await page.getByRole('textbox', { name: 'Token' }).fill(`Bearer ${CANARY}`);
    await page.keyboard.press('Enter');
    await page.getByText('as anna').waitFor();
    await page.getByText('9 clusters').first().waitFor();
    await page.goto(`${origin}/login#code=of-another-console`);
    await page.getByText('as anna').waitFor();
    await page.locator('main:not([inert])').getByText('9 clusters').first().waitFor();
    const kept: unknown = await page.evaluate(
      'document.cookie + JSON.stringify({ ...localStorage }) + location.href + document.documentElement.outerHTML',
    );
    expect(String(kept)).not.toContain(CANARY);
    await page.setViewportSize({ width: NARROW.width, height: 740 });
    await picture(page, 'on a hub', { ...NARROW, scheme: 'light' });
    expect([await axeFaults(page), await sidewaysPixels(page)]).toEqual([[], 0]);
    // On one line.
    expect((await page.getByRole('button', { name: 'Log out' }).boundingBox())?.height).toBeLessThan(40);

    // Another tab of the same session, with a draft; then it is somebody else's turn.
    const other = await page.context().newPage();
    other.on('pageerror', ({ message }) => faults.push(message));
    await other.goto(`${origin}/what-if`);
    await other.getByLabel('Manifests').fill(DRAFT);
    await tabTo(page, /^Log out$/);
    await page.keyboard.press('Enter');
    for (const tab of [page, other]) {
      await tab.getByText('You have logged out').waitFor();
      expect(await tab.evaluate('document.body.innerText')).not.toContain('anna');
    }
    api.refuses.add('ben managedclusters');
    await page.getByRole('textbox', { name: 'Token' }).fill('ben');
    await page.keyboard.press('Enter');
    await page.getByText('as ben').waitFor();
    await page.getByText('needs list managedclusters').waitFor();
    await other.getByText('as ben').waitFor();
    expect(await other.getByLabel('Manifests').inputValue()).toBe('');
    for (const tab of [page, other]) expect(await tab.getByText('edge-').count()).toBe(0);
    expect(faults).toEqual([]);
  });
});

describeWithChromium('by keyboard alone', () => {
  it.each(ROLES.map((role) => [role.name, role] as const))('%s finds out what people come for', async (name, role) => {
    const one = await opened(FLEET(), WIDE, (hub) => (hub.allows = role.allows));
    for (const [title, walk] of STORIES) {
      await walk(one.page, role);
      await picture(one.page, `${name}, ${title}`, WIDE);
    }
    expect(one.started.hub.written).toEqual(
      role.name === 'a viewer' ? [] : ['update placements.cluster.fleetmgmt.io web'],
    );
    expect(one.faults).toEqual([]);
  });

  it('somebody filters ten thousand clusters, and goes to the last one', async () => {
    const one = await opened(consoleWorld(10_000), WIDE);
    const { page } = one;
    await picture(page, 'fleet of 10,000', WIDE);
    await page.keyboard.press('/');
    await page.keyboard.type('silent');
    await page.keyboard.press('Enter');
    await page.getByText('of 10,000 match').waitFor();
    await tabTo(page, /^Clusters, rows$/);
    await page.keyboard.press('End');
    await page.getByRole('row', { name: 'cluster-9983' }).waitFor();
    expect(await page.getByRole('row').count()).toBeLessThan(60);
  });
});
