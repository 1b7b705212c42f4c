import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { loadAll } from 'js-yaml';
import type { Placement } from '../../src/api/generated/placement.js';
import { field, textField } from '../../src/runtime/vocabulary/json.js';
import type { KubeObject, ResourceType, RawObject } from '../../src/runtime/vocabulary/meta.js';
import { ManagedClusters, ManagedClusterSetBindings, ManagedClusterSets, Placements } from '../../src/api/resources.js';
import { CustomResourceDefinitions } from '../../src/runtime/vocabulary/kinds.js';
import type { HubInput } from '../../src/answers/check/input.js';
import { checkHub } from '../../src/answers/check/hub.js';
import { checkExitCode, checkText } from '../../src/cli/commands/check.js';
import { PROTECTING_POLICIES } from '../../src/domain/engine/policies.js';
import { worldOf } from '../../src/answers/world/world.js';
import { admissionOf, hubFacts, placementIn, POLICIES, rawEngine, readingOf } from '../support/builders/hubinput.js';
import { root } from '../support/repository/root.js';
import { NAMESPACE, PlacementRig } from '../support/rigs/controllers/placement.js';

/**
 * People delete a CustomResourceDefinition (a GitOps tool prunes it, Helm's uninstallation of a chart takes it along, kubectl
 * delete -f crds/), and all its objects go with it; then they apply crds/ again, as `check` says. The definition comes back
 * empty.
 *
 * Right: that is a loss of data and not a decision. Every decision stays as it is, whatever the time and the budget, across
 * restarts of the controller, until the objects are back or somebody releases the clusters. `check` fails meanwhile and names
 * the way back, and warns where the policy that refuses such a deletion is not in force.
 */

/** Longer than any other hold, window or wait. */
const LONG = 3 * 3_600_000;
const names = ['a', 'b', 'c', 'd', 'e'];

interface Kind {
  readonly type: ResourceType;
  /** Takes the objects away, as the API server does with the definition. */
  readonly empty: (hub: PlacementRig) => void;
  readonly restore: (hub: PlacementRig) => void;
}

const KINDS: readonly Kind[] = [
  {
    type: ManagedClusters,
    empty: (hub) => names.forEach((name) => hub.api.remove(ManagedClusters, { name })),
    restore: (hub) => hub.clusters(...names),
  },
  {
    type: ManagedClusterSets,
    empty: (hub) => hub.api.remove(ManagedClusterSets, { name: 'fleet' }),
    restore: (hub) => hub.set('fleet'),
  },
  {
    type: ManagedClusterSetBindings,
    empty: (hub) => hub.api.remove(ManagedClusterSetBindings, { namespace: NAMESPACE, name: 'fleet' }),
    restore: (hub) => hub.bind('fleet'),
  },
];

const cacheOf = {
  managedclusters: 'clusters',
  managedclustersets: 'sets',
  managedclustersetbindings: 'bindings',
} as const;

async function hubWith(spec: object = {}): Promise<PlacementRig> {
  const hub = new PlacementRig();
  hub.clusters(...names);
  hub.place('web', spec);
  await hub.start();
  hub.events.length = 0;
  return hub;
}

function decided(hub: PlacementRig): string[] {
  return Object.values(hub.decision('web')).flat().sort();
}

/** Deletes the definition and makes it anew, as the watches of a running process see it. */
async function makeAnew(hub: PlacementRig, { type, empty }: Kind, missingMs = 2_000): Promise<void> {
  const name = `${type.plural}.${type.group}`;
  const cache = hub.caches[cacheOf[type.plural as keyof typeof cacheOf]];
  const stored = hub.api.peek<KubeObject>(CustomResourceDefinitions, { name });
  if (stored === undefined) throw new Error(`no definition ${name}`);
  const deletionTimestamp = new Date(hub.clock.now()).toISOString();
  hub.api.put<KubeObject>(CustomResourceDefinitions, {
    ...stored,
    metadata: { ...stored.metadata, deletionTimestamp },
  });
  empty(hub);
  await hub.clock.advance(1_000);
  hub.api.remove(CustomResourceDefinitions, { name });
  cache.fail(new Error('404'));
  await hub.clock.advance(missingMs);
  const creationTimestamp = new Date(hub.clock.now()).toISOString();
  hub.api.put<KubeObject>(CustomResourceDefinitions, { metadata: { name, creationTimestamp } });
  cache.fail(undefined);
  await hub.untilIdle();
}

function releaseAll(hub: PlacementRig, release = '2027-01-01T00:00:00Z/*'): void {
  const stored = hub.api.peek<Placement>(Placements, { namespace: NAMESPACE, name: 'web' });
  if (stored === undefined) throw new Error('no Placement');
  const annotations = { 'cluster.fleetmgmt.io/allow-removals': release };
  hub.api.put<Placement>(Placements, { ...stored, metadata: { ...stored.metadata, annotations } });
}

const heldFor = (hub: PlacementRig): string | undefined => hub.condition('web', 'RemovalsHeld')?.reason;

describe.each(KINDS)('the definition of $type.plural is deleted and made anew', (kind) => {
  it.each([{}, { disruptionBudget: { maxRemovals: '100%' } }])(
    'every cluster stays for as long as nobody acts, and the condition names the way back: %j',
    async (spec) => {
      const hub = await hubWith(spec);
      const mark = hub.mark;

      await makeAnew(hub, kind);
      await hub.untilIdle(LONG);

      expect(decided(hub)).toEqual(names);
      expect(new Set(hub.writesSince(mark))).toEqual(new Set(['updateStatus placements team/web']));
      expect(heldFor(hub)).toBe('DefinitionsReplaced');
      expect(hub.condition('web', 'RemovalsHeld')?.message).toMatch(
        new RegExp(
          `^CustomResourceDefinition ${kind.type.plural}.cluster.fleetmgmt.io was deleted with all its objects, and created again; ` +
            'held: a, b, c, d, e .*; to recover, create the clusters, sets and bindings of namespace team again, from Git or a backup; ' +
            'to let them go: kubectl mce release placement web -n team',
        ),
      );
      expect(hub.events.filter(({ reason }) => reason === 'RemovalsHeld')).toHaveLength(1);
    },
  );

  it('a process that starts after it holds every cluster, too', async () => {
    const first = await hubWith();
    await first.loseLease();
    await makeAnew(first, kind);
    await first.clock.advance(LONG);

    const second = await new PlacementRig(first).start();
    await second.untilIdle(LONG);

    expect(decided(second)).toEqual(names);
    expect(heldFor(second)).toBe('DefinitionsReplaced');
  });

  it('the hold ends when the objects are back, and later deletions are decisions again', async () => {
    const hub = await hubWith();
    await makeAnew(hub, kind);

    kind.restore(hub);
    await hub.untilIdle(60_000);
    expect(heldFor(hub)).toBeUndefined();
    expect(decided(hub)).toEqual(names);

    hub.api.remove(ManagedClusters, { name: 'a' });
    await hub.untilIdle();
    expect(decided(hub)).toEqual(names.slice(1));
  });

  it('a release of all lets them go', async () => {
    const hub = await hubWith();
    await makeAnew(hub, kind);

    releaseAll(hub);
    await hub.untilIdle(60_000);

    expect(decided(hub)).toEqual([]);
    expect(heldFor(hub)).toBeUndefined();
  });

  it('a release that was there before it lets none go, also when it is the only one that a later process sees', async () => {
    const hub = await hubWith();
    releaseAll(hub);
    await hub.untilIdle();
    await makeAnew(hub, kind);
    await hub.untilIdle(LONG);

    expect(decided(hub)).toEqual(names);
    expect(hub.condition('web', 'RemovalsHeld')?.message).toContain(
      'created again; the release that the Placement had before does not count; held: a, b, c, d, e',
    );
    await hub.loseLease();
    const second = await new PlacementRig(hub).start();
    const mark = second.mark;
    await second.untilIdle(LONG);
    expect(decided(second)).toEqual(names);
    expect(second.writesSince(mark)).toEqual([]);

    releaseAll(second, '2027-01-02T00:00:00Z/*');
    await second.untilIdle(60_000);
    expect(decided(second)).toEqual([]);
  });

  it('a release of all keeps those that were created again and that the caches do not show yet', async () => {
    const hub = await hubWith();
    await makeAnew(hub, kind);
    const mark = hub.mark;

    releaseAll(hub);
    await hub.untilIdle(20_000);
    expect(hub.writesSince(mark)).toEqual([]);
    kind.restore(hub);
    await hub.untilIdle(60_000);

    expect(decided(hub)).toEqual(names);
    expect(heldFor(hub)).toBeUndefined();
  });
});

describe('the definition of managedclusters is made anew', () => {
  const [kind] = KINDS;
  if (kind === undefined) throw new Error('no kind');

  it('while only some clusters are back, the others stay', async () => {
    const hub = await hubWith();
    await makeAnew(hub, kind);

    hub.clusters('a', 'b');
    await hub.untilIdle(LONG);

    expect(decided(hub)).toEqual(names);
    expect(hub.condition('web', 'RemovalsHeld')?.message).toContain('held: c, d, e (was deleted)');
  });

  it('a cluster that comes back without what it was selected by stays, too', async () => {
    const gold = { requiredClusterSelector: { labelSelector: { matchLabels: { tier: 'gold' } } } };
    const hub = new PlacementRig();
    for (const name of names) hub.cluster(name, { tier: 'gold' });
    hub.place('web', { predicates: [gold] });
    await hub.start();
    await makeAnew(hub, kind);

    hub.clusters(...names);
    await hub.untilIdle(LONG);

    expect(decided(hub)).toEqual(names);
  });
});

describe('check', () => {
  function checked(over: Partial<HubInput>): { readonly lines: readonly string[]; readonly exitCode: number } {
    const results = checkHub(hubFacts(over));
    const concerned = results.filter(({ name }) => ['placements', 'holds', 'protection'].includes(name));
    const text = checkText(concerned, { output: 'text', colored: false, pre: false });
    return { lines: text.trimEnd().split('\n'), exitCode: checkExitCode(results) };
  }
  const withHold = (type: string, reason: string, name: string): RawObject =>
    placementIn('Held', name, '', [{ type, status: 'True', reason, message: 'as the condition says' }]);
  const hub = (...placements: readonly RawObject[]): Partial<HubInput> => {
    return { reading: readingOf(worldOf({ multiclusterengines: [rawEngine()], placements })) };
  };

  it('fails while a definition is there again without its objects, and names the way back', async () => {
    const rig = await hubWith();
    const [kind] = KINDS;
    if (kind === undefined) throw new Error('no kind');
    await makeAnew(rig, kind);
    const stored = rig.api.all<RawObject>(Placements);

    expect(
      checked(hub(...stored, withHold('RemovalsHeld', 'DefinitionsReplaced', 'api'), placementIn('Satisfied'))),
    ).toEqual({
      lines: [
        '✓ 8 policies against accidental deletions are in force',
        '✓ 3 Placements kept',
        '× a definition was deleted and made anew, and its objects are lost; 2 Placements keep their decisions as before: shop/api, team/web; ' +
          'to recover, create the clusters, sets and bindings again, from Git or a backup: docs/how-to/recover-from-a-mistake.md#a-definition-was-deleted',
      ],
      exitCode: 1,
    });
  });

  it.each([
    ['RemovalsHeld', 'DisruptionBudgetExceeded'],
    ['RemovalsHeld', 'ClustersDeleted'],
    ['AdditionsHeld', 'DisruptionBudgetExceeded'],
  ])('warns while a Placement has the condition %s for the reason %s', (type, reason) => {
    const { lines, exitCode } = checked(hub(withHold(type, reason, 'web')));

    expect(lines.slice(1)).toEqual([
      '✓ 1 Placement kept',
      '! 1 Placement holds clusters: shop/web: kubectl mce status -o wide',
    ]);
    expect(exitCode).toBe(0);
  });

  it.each([
    [
      ['definitions'],
      'multicluster-engine-definitions: kubectl apply --server-side -f deploy/definitions/policies/definitions.yaml',
    ],
    [
      ['warnings', 'fleet-warnings', 'agent-warnings', 'namespace-warnings', 'engine-warnings'],
      'multicluster-engine-warnings, multicluster-engine-fleet-warnings, multicluster-engine-agent-warnings, multicluster-engine-namespace-warnings, multicluster-engine-engine-warnings: kubectl apply --server-side -f deploy/base/policies/warnings.yaml',
    ],
    [
      ['operator', 'in-use'],
      'multicluster-engine-operator, multicluster-engine-in-use: kubectl apply --server-side -f deploy/definitions/policies/operator.yaml -f deploy/base/policies/in-use.yaml',
    ],
  ])('warns without the policies %j, and says what installs them', (missing, text) => {
    const names = POLICIES.filter((name) => !missing.includes(name.replace('multicluster-engine-', '')));
    const { lines, exitCode } = checked({ admission: admissionOf(names) });

    expect(lines[0]).toBe(`! policies against accidental deletions that are not in force: ${text}`);
    expect(exitCode).toBe(0);
  });

  it('the manifests that it names have these policies with these actions', () => {
    for (const { name, action, file } of PROTECTING_POLICIES) {
      const objects = loadAll(readFileSync(path.join(root, file), 'utf8')) as readonly RawObject[];
      const found = objects.find(({ spec }) => textField(spec, 'policyName') === name);
      expect([name, field(found?.spec, 'validationActions')]).toEqual([name, [action]]);
    }
  });
});
