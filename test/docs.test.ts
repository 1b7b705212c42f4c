import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { BindingReasons, ClusterSetReasons } from '../src/api/clusterreasons.js';
import { ComponentReasons, EngineReasons } from '../src/api/enginereasons.js';
import { PlacementReasons } from '../src/api/placementreasons.js';
import { root } from './support/root.js';

const page = readFileSync(path.join(root, 'docs/troubleshooting.md'), 'utf8');
const entries = new Set([...page.matchAll(/^### (\w+)$/gm)].map((match) => match[1]));
const reasons = new Set(
  [BindingReasons, ClusterSetReasons, ComponentReasons, EngineReasons, PlacementReasons].flatMap((table) => Object.keys(table)),
);

describe('docs/troubleshooting.md', () => {
  it.each([...reasons])('has an entry for the reason %s', (reason) => {
    expect(entries).toContain(reason);
  });

  it('has no entry for a reason that is never given', () => {
    expect([...entries].filter((entry) => entry === undefined || !reasons.has(entry))).toEqual([]);
  });
});
