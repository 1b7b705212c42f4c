import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { expect, it } from '@jest/globals';

import { figuresPage } from '../../tools/figures.js';

it('the page of figures leaves out results with a profiler, which no commit has', () => {
  const root = mkdtempSync(path.join(tmpdir(), 'figures-'));
  const folder = path.join(root, 'bench', 'results');
  mkdirSync(folder, { recursive: true });
  const machine = { cpus: 2, model: 'a CPU', memoryGiB: 24 };
  const results = { version: '0.1.0', node: 'v24.0.0', machine, at: '2026-01-01T00:00:00Z', figures: [] };
  for (const name of ['fleet', 'fleet-profiled'])
    writeFileSync(path.join(folder, `${name}.json`), JSON.stringify(results));
  try {
    expect(figuresPage(root).match(/^## .*/gm)).toEqual(['## fleet']);
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
});
