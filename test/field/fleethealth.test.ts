/*
 * What people did: the network between 25 of 30 clusters and the hub was cut. They ran `status` and `check`: all was green,
 * since the engine was available and every Placement satisfied, by decisions that the brake held.
 * What is right: both say how many of the joined clusters are silent, and that the brake holds. `check` fails while most of
 * the fleet is silent, or while nobody judges the clusters; a few silent clusters are a warning, since Placements replace them.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { RawObject } from '../../src/runtime/vocabulary/meta.js';
import { ManagedClusters } from '../../src/api/resources.js';
import { apiVersionOf } from '../../src/runtime/vocabulary/kinds.js';
import { CLUSTERS_LEASE } from '../../src/api/names.js';
import { checkHub } from '../../src/answers/check/hub.js';
import { checkExitCode, checkText } from '../../src/cli/commands/check.js';
import type { HubInput } from '../../src/answers/check/input.js';
import { worldOf } from '../../src/answers/world/world.js';
import { healthConditions, type ConditionInput } from '../../src/domain/health/conditions.js';
import { hubFacts, leaseFact, rawEngine, readingOf } from '../support/builders/hubinput.js';
import { root } from '../support/repository/root.js';

type Brake = ConditionInput['brake'];

/** A cluster that has joined, with the conditions that the hub writes. */
function cluster(name: string, availability: ConditionInput['availability'], brake?: Brake): RawObject {
  const now = '2026-11-22T11:00:00Z';
  const agent = { clusterId: 'a', lastRenewal: now, agentMessage: '/readyz: 500', clock: 'synced' } as const;
  const conditions = healthConditions([], { name, accepts: true, joined: true, availability, brake, ...agent }, now);
  return { metadata: { name }, spec: { hubAcceptsClient: true }, status: { conditions } };
}

function fleet(available: number, silent: number, brake?: Brake): readonly RawObject[] {
  return Array.from({ length: available + silent }, (_, at) => {
    const name = `edge-${String(at).padStart(2, '0')}`;
    return at < available ? cluster(name, 'available') : cluster(name, 'unknown', brake);
  });
}

interface Checked {
  readonly line: string | undefined;
  readonly exitCode: number;
}

function checked(managedclusters: readonly RawObject[], over: Partial<HubInput> = {}): Checked {
  const reading = readingOf(worldOf({ multiclusterengines: [rawEngine()], managedclusters }));
  const results = checkHub(hubFacts({ reading, ...over }));
  const line = checkText(
    results.filter(({ name }) => name === 'fleet'),
    { output: 'text', colored: false, pre: false },
  );
  return { line: line.trimEnd(), exitCode: checkExitCode(results) };
}

describe('the health of the fleet', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'field-fleet-'));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  function status(clusters: readonly RawObject[], ...more: string[]): string {
    const items = clusters.map((one) => ({
      apiVersion: apiVersionOf(ManagedClusters),
      kind: ManagedClusters.kind,
      ...one,
    }));
    const file = path.join(folder, 'hub.json');
    writeFileSync(file, JSON.stringify({ apiVersion: 'v1', kind: 'List', items }));
    const args = [path.join(root, 'dist', 'src', 'main.js'), 'status', '--offline', '-f', file, ...more];
    const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8', env: {} });
    return `${stderr}${stdout}`;
  }

  it('status says how many clusters are silent, and what the brake holds', () => {
    const clusters = [...fleet(5, 25, { scope: 'fleet' }), { metadata: { name: 'by-hand' } }];

    expect(status(clusters).split('\n').slice(2)).toEqual([
      'clusters    5 available, 25 silent, 0 unavailable of 30 joined; 1 without an agent that the hub accepts',
      'brake       it holds the fleet: silent clusters are not tainted, and stay in their decisions',
      '',
    ]);
    expect(status(clusters, '-o', 'name').split('\n')).toHaveLength(26);
    const document = JSON.parse(status(clusters, '-o', 'json'));
    expect(document.clusters).toMatchObject({ joined: 30, silent: 25, mostSilent: true, brake: ['fleet'] });
    expect(document.clusters.others).toHaveLength(25);
  });

  it.each<[string, readonly RawObject[], string, number]>([
    [
      'most of the fleet is silent and the brake holds',
      fleet(5, 25, { scope: 'fleet' }),
      '× 25 silent of 30 joined clusters: edge-05, edge-06, edge-07 and 22 more; the brake: it holds the fleet: silent clusters are not tainted, and stay in their decisions: kubectl mce cluster list -o wide',
      1,
    ],
    [
      'a set is silent and the brake holds',
      [...fleet(20, 0), cluster('shop-1', 'unknown', { scope: 'set', set: 'shop' })],
      '× 1 silent of 21 joined clusters: shop-1; the brake: it holds set shop: silent clusters are not tainted, and stay in their decisions: kubectl mce cluster list -o wide',
      1,
    ],
    [
      'most of the fleet is silent',
      fleet(2, 3),
      '× 3 silent of 5 joined clusters: edge-02, edge-03, edge-04; most of the fleet: kubectl mce cluster list -o wide',
      1,
    ],
    [
      'a few clusters are silent or unavailable',
      [...fleet(8, 1), cluster('shop-1', 'unavailable')],
      '! 1 silent and 1 unavailable of 10 joined clusters: edge-08, shop-1: kubectl mce cluster list -o wide',
      0,
    ],
    ['all joined clusters are available', fleet(3, 0), '✓ 3 joined clusters are available', 0],
    ['no cluster has an agent', [{ metadata: { name: 'by-hand' } }], '✓ no cluster has joined', 0],
  ])('check while %s', (_what, clusters, line, exitCode) => {
    expect(checked(clusters)).toEqual({ line, exitCode });
  });

  it('a cluster that was never judged does not count as available', () => {
    expect(checked([cluster('edge-1', undefined), ...fleet(4, 0)])).toMatchObject({
      line: '! 1 silent of 5 joined clusters: edge-1: kubectl mce cluster list -o wide',
    });
  });

  it('check fails while no controller judges the clusters, whatever their conditions say', () => {
    expect(checked(fleet(3, 0), { clustersLease: leaseFact(CLUSTERS_LEASE, '') })).toEqual({
      line: '× no controller judges the health of 3 joined clusters: kubectl get mce',
      exitCode: 1,
    });
  });
});
