import type { Page } from 'playwright-core';
import { tabTo } from './browser.js';
import type { MemoryHub } from './hub.js';

/** What people come for, by keyboard alone, and people with different rights. */

export interface Role {
  readonly name: string;
  readonly allows: MemoryHub['allows'];
  /** What the page says once the draft is applied. */
  readonly applied: string;
  readonly engine: string;
}

const FLEET_KINDS = ['managedclusters', 'managedclustersets'];

export const ROLES: readonly Role[] = [
  { name: 'an admin', allows: () => true, applied: 'Applied: Placement shop/web', engine: '1 of 2 available' },
  {
    name: 'a viewer',
    allows: (verb) => verb === 'list',
    applied: 'cannot update placements',
    engine: '1 of 2 available',
  },
  {
    name: 'a tenant',
    allows: (verb, plural, namespace) =>
      (verb === 'list' && FLEET_KINDS.includes(plural)) || (namespace === 'shop' && plural !== 'multiclusterengines'),
    applied: 'Applied: Placement shop/web',
    engine: 'needs list multiclusterengines',
  },
];

const EDIT = `apiVersion: cluster.fleetmgmt.io/v1alpha1
kind: Placement
metadata: { name: web, namespace: shop }
spec:
  `;

async function go(page: Page, key: string, heading: string): Promise<void> {
  await page.keyboard.press('g');
  await page.keyboard.press(key);
  await page.getByRole('heading', { name: heading, level: 1 }).waitFor();
}

async function press(page: Page, name: RegExp): Promise<void> {
  await tabTo(page, name);
  await page.keyboard.press('Enter');
}

async function goToPlacement(page: Page): Promise<void> {
  await go(page, 'p', 'Placements');
  await page.getByText('shop/web').waitFor();
  await press(page, /^shop\/web$/);
  await page.getByText('Near misses').waitFor();
}

/** In the box: with its first answer. */
async function ask(page: Page, text: string): Promise<void> {
  await page.keyboard.press('/');
  await page.keyboard.type(text);
  await page.getByRole('option').first().waitFor();
  await page.keyboard.press('Enter');
}

type Story = readonly [title: string, walk: (page: Page, role: Role) => Promise<void>];

export const STORIES: readonly Story[] = [
  [
    'why a cluster is not in a Placement, asked from another page',
    async (page) => {
      await go(page, 'e', 'Engine');
      await ask(page, 'why cluster-1 web');
      await page.getByRole('dialog').getByText('is not selected: no predicate matches').waitFor();
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
    },
  ],
  [
    'why the application is not on a cluster',
    async (page) => {
      await goToPlacement(page);
      await press(page, /^Near misses/);
      await page.getByRole('button', { name: 'Why cluster-' }).first().waitFor();
      await press(page, /^Why cluster-/);
      await page.getByRole('dialog').getByText('is not selected: no predicate matches').waitFor();
      await page.keyboard.press('Escape');
      // The focus is where it was.
      await page.locator('button[aria-label^="Why cluster-"]:focus').waitFor();
      // The browser moves the focus before it says that the dialog is closed.
      await page.waitForURL((url) => !url.searchParams.has('why'));
      // What is pressed can be taken back: the answer is there again, and then the tab before it.
      await page.goBack();
      await page.getByRole('dialog').waitFor();
      await page.goBack();
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      await page.goBack();
      await page.getByRole('button', { name: /^In \d/, pressed: true }).waitFor();
    },
  ],
  [
    'what an edit does',
    async (page, { applied }) => {
      await go(page, 'w', 'What if');
      await tabTo(page, /^Manifests$/);
      await page.keyboard.insertText(EDIT);
      await page.keyboard.type('numberOfClusters: 1');
      await page.getByText('4 of 4 → 1 of 1').waitFor();
      await press(page, /^Apply with my rights$/);
      await page.getByText(applied).waitFor();
    },
  ],
  [
    'what happens if a cluster is drained',
    async (page) => {
      await goToPlacement(page);
      await press(page, /^cluster-3$/);
      await page.getByRole('heading', { name: 'cluster-3' }).waitFor();
      await press(page, /^Drain…$/);
      await page.locator('.card.act').getByText('shop/web').waitFor();
    },
  ],
  [
    'what a pause does, and how it is made',
    async (page, { name }) => {
      await goToPlacement(page);
      await press(page, /^Pause…$/);
      await page.getByText('nothing takes the place of a cluster that is lost').waitFor();
      if (name === 'a viewer') await page.getByText('You may not patch it').waitFor();
      else await page.locator('button:enabled', { hasText: 'Pause with my rights' }).waitFor();
      await tabTo(page, /^Close$/);
      await page.keyboard.press('Enter');
      await page.getByText('Pause with my rights').waitFor({ state: 'detached' });
    },
  ],
  [
    'what if a region is lost',
    async (page) => {
      await ask(page, 'lose eu');
      await page.getByText('Without 30 of 120 clusters').waitFor();
      await page.getByRole('region', { name: 'Clusters, as the plan leaves them' }).getByText('lost').first().waitFor();
      await tabTo(page, /^Take away lose/);
    },
  ],
  [
    'what is wrong with the engine',
    async (page, { engine }) => {
      await go(page, 'e', 'Engine');
      await page.getByText(engine).waitFor();
    },
  ],
  [
    'which clusters are silent',
    async (page) => {
      // Seen at first sight; from everywhere else two steps away.
      await go(page, 'f', 'Fleet');
      await page.getByRole('region', { name: 'What needs attention' }).getByText('silent').first().waitFor();
      await go(page, 'e', 'Engine');
      await ask(page, 'silent');
      await page.getByText('7 of 120 match').waitFor();
    },
  ],
];
