import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { expect, it } from '@jest/globals';

import { figuresPage } from '../../tools/figures.js';

function pageOf(results: Readonly<Record<string, readonly object[]>>): string {
  const root = mkdtempSync(path.join(tmpdir(), 'figures-'));
  const folder = path.join(root, 'bench', 'results');
  mkdirSync(folder, { recursive: true });
  const machine = { cpus: 2, model: 'a CPU', memoryGiB: 24 };
  const environment = { version: '0.1.0', node: 'v24.0.0', machine, at: '2026-01-01T00:00:00Z' };
  for (const [name, figures] of Object.entries(results))
    writeFileSync(path.join(folder, `${name}.json`), JSON.stringify({ ...environment, figures }));
  try {
    return figuresPage(root);
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

it('the page of figures leaves out results that no commit has', () => {
  const names = ['fleet', 'fleet-profiled', 'fleet-rows', 'fleet-real-rows', 'fleet-other'];
  const page = pageOf(Object.fromEntries(names.map((name) => [name, []])));
  expect(page.match(/^## .*/gm)).toEqual(['## fleet']);
});

it('the page of figures says of upper and lower limits whether they are met', () => {
  const figure = (median: number, limit: object): object => ({
    measure: 'm',
    unit: '',
    median,
    min: 1,
    max: 9,
    ...limit,
  });
  const limits = [
    figure(2, { atMost: 2 }),
    figure(3, { atMost: 2 }),
    figure(2, { atLeast: 2 }),
    figure(1, { atLeast: 2 }),
  ];
  const rows = pageOf({ fleet: [...limits, figure(1, {})] }).match(/^\| m .*/gm);
  expect(rows?.map((row) => row.split(' | ').at(-1))).toEqual([
    '≤ 2, met |',
    '≤ 2, missed |',
    '≥ 2, met |',
    '≥ 2, missed |',
    ' |',
  ]);
});
