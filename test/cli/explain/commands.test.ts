import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { apiVersionOf } from '../../../src/runtime/vocabulary/kinds.js';
import * as kinds from '../../../src/api/resources.js';
import type { ResourceType, RawObject } from '../../../src/runtime/vocabulary/meta.js';
import { exampleWorld } from '../../support/builders/examplefleet.js';
import { root } from '../../support/repository/root.js';

const PROGRAM = path.join(root, 'dist', 'src', 'main.js');
const FIRST_LINE = 'shop/web: Satisfied, 3 wanted, cluster sets edge, production';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'explain-'));
  const { managedclusters, ...others } = exampleWorld().objects;
  writeFileSync(path.join(folder, 'clusters.json'), listOf(typed(kinds.ManagedClusters, managedclusters)));
  const rest = [
    ...typed(kinds.Placements, others.placements),
    ...typed(kinds.PlacementDecisions, others.placementdecisions),
    ...typed(kinds.ManagedClusterSets, others.managedclustersets),
    ...typed(kinds.ManagedClusterSetBindings, others.managedclustersetbindings),
  ];
  writeFileSync(path.join(folder, 'rest.yaml'), rest.map((one) => JSON.stringify(one)).join('\n---\n'));
  writeFileSync(path.join(folder, 'notes.txt'), 'not YAML: [');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function typed(type: ResourceType, objects: readonly RawObject[]): readonly RawObject[] {
  return objects.map((one) => ({ ...one, apiVersion: apiVersionOf(type), kind: type.kind }));
}

function listOf(items: readonly RawObject[]): string {
  return JSON.stringify({ apiVersion: 'v1', kind: 'List', items });
}

function run(
  file: string,
  input = '',
): { readonly status: number | null; readonly stdout: string; readonly stderr: string } {
  const args = [PROGRAM, 'explain', 'placement', 'web', '-n', 'shop', '--offline', '-f', file];
  return spawnSync(process.execPath, args, { encoding: 'utf8', input, env: {}, timeout: 60_000 });
}

describe('explain --offline', () => {
  it('explain reads the YAML and JSON files of a folder', () => {
    const { status, stdout, stderr } = run(folder);

    expect([stderr, stdout.split('\n')[0], status]).toEqual(['', FIRST_LINE, 0]);
  });

  it('explain reads standard input', () => {
    const { placements } = exampleWorld().objects;
    const { status, stdout } = run('-', listOf(typed(kinds.Placements, placements)));

    expect([stdout.split('\n')[0], status]).toEqual(['shop/web: Unsatisfied, 3 wanted, no cluster set', 0]);
  });

  it.each([
    ['a file that does not exist', 'nowhere.yaml', 'nowhere.yaml" does not exist'],
    ['a file that is not YAML', 'notes.txt', 'notes.txt, document 1: yaml: line 1: '],
  ])('%s ends with code 1 and one line', (_what, file, message) => {
    const { status, stdout, stderr } = run(path.join(folder, file));

    expect([stdout, status]).toEqual(['', 1]);
    expect(stderr).toMatch(/^multicluster-engine explain: [^\n]+\n$/);
    expect(stderr).toContain(message);
  });
});
