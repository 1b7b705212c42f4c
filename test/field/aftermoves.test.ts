import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { Ajv } from 'ajv';
import type { RawObject } from '../../src/runtime/vocabulary/meta.js';
import { explainPlacement } from '../../src/cli/commands/explain.js';
import { planChange, type PlanRequest } from '../../src/cli/commands/plan.js';
import { worldOf, type World } from '../../src/answers/world/world.js';
import { PlacementDecisions, Placements } from '../../src/api/resources.js';
import { readingOf } from '../support/builders/hubinput.js';
import { NAMESPACE, predicate, rawBinding, rawCluster, rawPlacement, rawSet } from '../support/builders/world.js';
import { root } from '../support/repository/root.js';
import { PlacementRig } from '../support/rigs/controllers/placement.js';
import { storeWorld } from '../support/rigs/controllers/worlds.js';

/*
 * An edit adds `rebalance`. A cluster moves, and makes room for another one that spread or the number of a predicate kept out
 * until then: a minute later it comes in. `plan` showed the move alone, and `--max-additions` did not count the other. Right: it
 * is shown, as what follows from the edit, and counted; so does `explain` while the move is ahead.
 */

const SPEC = {
  predicates: [
    { ...Object(predicate({ tier: 'gold' })), numberOfClusters: 3 },
    { ...Object(predicate({ tier: 'silver' })), numberOfClusters: 1 },
  ],
  spreadPolicy: {
    spreadConstraints: [{ topologyKey: 'region', topologyKeyType: 'Label', whenUnsatisfiable: 'DoNotSchedule' }],
  },
  prioritizerPolicy: {
    configurations: [
      { scoreCoordinate: { type: 'Label', label: { name: 'cost', order: 'Ascending', min: '0', max: '10' } } },
    ],
  },
};
const REBALANCED = { ...SPEC, rebalance: { scoreMargin: 20, minSelectedSeconds: 0 } };
const CLUSTERS = {
  dear: { tier: 'gold', region: 'eu', cost: '9' },
  fair: { tier: 'gold', region: 'eu', cost: '2' },
  west: { tier: 'gold', region: 'us', cost: '2' },
  cheap: { tier: 'silver', region: 'eu', cost: '1' },
  spare: { tier: 'gold', region: 'us', cost: '3' },
};
const NO_MOVE = ['dear', 'fair', 'west'];

function fleet(...names: readonly string[]): World {
  const named = Object.entries(CLUSTERS).filter(([name]) => names.includes(name));
  return worldOf({
    placements: [rawPlacement(SPEC)],
    managedclusters: named.map(([name, labels]) => rawCluster(name, { set: 'prod', labels })),
    managedclustersets: [rawSet('prod')],
    managedclustersetbindings: [rawBinding('prod')],
  });
}

/** Two clusters join that cannot come in: the number of the one predicate is reached, and the region of the other is full. */
async function decided(): Promise<{ readonly rig: PlacementRig; readonly world: World }> {
  const [first, all] = [fleet(...NO_MOVE), fleet(...Object.keys(CLUSTERS))];
  const rig = new PlacementRig();
  storeWorld(rig, worldOf({}), first);
  await rig.start();
  storeWorld(rig, first, all);
  await rig.untilIdle();
  const placements = rig.api.all<RawObject>(Placements);
  const placementdecisions = rig.api.all<RawObject>(PlacementDecisions);
  return { rig, world: { ...all, objects: { ...all.objects, placements, placementdecisions }, at: rig.clock.now() } };
}

interface Listed {
  readonly decisions: readonly { readonly clusterName: string }[];
}

function selected(rig: PlacementRig): readonly string[] {
  const decisions = rig.api.all<RawObject>(PlacementDecisions).map(({ status }) => status as Listed);
  return decisions.flatMap((one) => one.decisions.map(({ clusterName }) => clusterName)).sort();
}

const REQUEST: PlanRequest = {
  namespace: NAMESPACE,
  manifests: [{ apiVersion: 'cluster.fleetmgmt.io/v1alpha1', kind: 'Placement', ...rawPlacement(REBALANCED) }],
  complete: false,
  deletions: [],
  labels: [],
  maxRemovals: undefined,
  maxAdditions: undefined,
  output: 'text',
  colored: false,
};

describe('a cluster that can come in after a move', () => {
  it('is shown by plan, and comes in on the hub', async () => {
    const { rig, world } = await decided();
    expect(selected(rig)).toEqual(NO_MOVE);
    const { text } = planChange(readingOf(world), REQUEST);
    const [stored] = world.objects.placements;
    if (stored === undefined) throw new Error('the Placement is gone');
    const metadata = { ...stored.metadata, generation: 2 };
    rig.api.put<RawObject>(Placements, { ...stored, metadata, spec: REBALANCED });
    await rig.untilIdle(200_000);

    expect(selected(rig)).toEqual(['cheap', 'fair', 'spare', 'west']);
    expect(text).toMatch(/ {2}> spare +comes in after dear → cheap; not before 20/);
    expect(text).toContain('1 cluster comes in after a move.');
  });

  it('is part of the JSON, and of what explain says while the move is ahead', async () => {
    const { world } = await decided();
    const { text } = planChange(readingOf(world), { ...REQUEST, output: 'json' });
    const plan = JSON.parse(text) as { placements: readonly { addLater?: readonly object[] }[] };
    const young = { ...REBALANCED, rebalance: { scoreMargin: 20, minSelectedSeconds: 86_400 } };
    const [stored] = world.objects.placements;
    const later = { ...world, objects: { ...world.objects, placements: [{ ...stored, spec: young } as RawObject] } };
    const request = { namespace: NAMESPACE, placement: 'web', cluster: undefined, nearest: 0, colored: false };

    expect(plan.placements[0]?.addLater).toMatchObject([{ name: 'spare', why: 'comes in after dear → cheap' }]);
    for (const [kind, document] of [
      ['placementplan', text],
      ['placementexplanation', explainPlacement(later, { ...request, output: 'json' })],
    ] as const) {
      const schema = readFileSync(path.join(root, 'docs', 'reference', 'cli', `${kind}.schema.json`), 'utf8');
      const validate = new Ajv().compile(JSON.parse(schema) as object);
      expect(validate(JSON.parse(document)) ? [] : validate.errors).toEqual([]);
      expect(document).toContain('"addLater"');
    }
    expect(explainPlacement(later, { ...request, output: 'text' })).toMatch(
      /^then: spare comes in after dear → cheap;/m,
    );
  });

  it.each([
    [2, ''],
    [1, '--max-additions: shop/web would gain 2 beside 3 clusters, by moves, and at most 1 may come in'],
  ])('counts for --max-additions %d', async (value, error) => {
    const { world } = await decided();
    const { errors, exitCode } = planChange(readingOf(world), { ...REQUEST, maxAdditions: { kind: 'number', value } });

    expect([errors.join(), exitCode]).toEqual([error, error === '' ? 2 : 1]);
  });
});
