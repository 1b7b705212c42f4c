import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { ALLOW_REMOVALS_ANNOTATION, CLUSTER_SET_LABEL } from '../../src/api/names.js';
import {
  ManagedClusters,
  ManagedClusterSetBindings,
  ManagedClusterSets,
  PlacementDecisions,
  Placements,
} from '../../src/api/resources.js';
import { explainReport } from '../../src/answers/explain/report.js';
import { readFiles } from '../../src/answers/files/files.js';
import { planChange } from '../../src/cli/commands/plan.js';
import { worldOfObjects } from '../../src/answers/world/worlds.js';
import type { World } from '../../src/answers/world/world.js';
import { apiVersionOf } from '../../src/runtime/vocabulary/kinds.js';
import type { ResourceType, RawObject } from '../../src/runtime/vocabulary/meta.js';
import { NAMESPACE, PlacementRig } from '../support/rigs/controllers/placement.js';

/**
 * Files of a repository have no status. `plan --offline` of an edit that adds `changeWindows` and another rule said that the
 * removal waits, and `--max-removals 0` passed; on a hub it happened at once. `explain --offline` of the same files knew no windows.
 *
 * Right: a file without a status is an object that is applied now. Both commands say what a hub does that gets the same files: the
 * tests apply them to the controller, and compare.
 */

const TYPES = [ManagedClusters, ManagedClusterSets, ManagedClusterSetBindings, PlacementDecisions, Placements];

function manifest(type: ResourceType, name: string, rest: object = {}, metadata: object = {}): RawObject {
  const namespace = type.namespaced ? { namespace: NAMESPACE } : {};
  return { apiVersion: apiVersionOf(type), kind: type.kind, metadata: { name, ...namespace, ...metadata }, ...rest };
}

/** A fleet: its clusters with their tiers. */
function fleet(tiers: Record<string, string>, over: Record<string, object> = {}): RawObject[] {
  return [
    manifest(ManagedClusterSets, 'fleet', { spec: {} }),
    manifest(ManagedClusterSetBindings, 'fleet', { spec: { clusterSet: 'fleet' } }),
    ...Object.entries(tiers).map(([name, tier]) => {
      const labels = { [CLUSTER_SET_LABEL]: 'fleet', tier };
      return manifest(ManagedClusters, name, { spec: over[name] ?? {} }, { labels });
    }),
  ];
}

function web(spec: object, annotations?: Record<string, string>): RawObject {
  return manifest(Placements, 'web', { spec }, annotations === undefined ? {} : { annotations });
}

const tier = (value: string): object => ({
  predicates: [{ requiredClusterSelector: { labelSelector: { matchLabels: { tier: value } } } }],
});
/** The clock of the controller begins on 2026-01-01, a Thursday. */
const closed = { changeWindows: [{ start: 'Sun 03:00', duration: '1h', timeZone: 'UTC' }] };
const gold = { a: 'gold', b: 'gold', c: 'gold', d: 'silver' };
const cheap = {
  prioritizerPolicy: {
    configurations: [
      {
        scoreCoordinate: { type: 'Label', label: { name: 'tier', order: 'Ascending', min: '0', max: '100' } },
        weight: 1,
      },
    ],
  },
  numberOfClusters: 1,
  rebalance: { scoreMargin: 10, minSelectedSeconds: 600, intervalSeconds: 60 },
};
const taint = { taints: [{ key: 'hot', effect: 'NoSelect' }] };

interface Case {
  readonly title: string;
  readonly before: readonly RawObject[];
  readonly after: readonly RawObject[];
  readonly decided: readonly string[];
}

const cases: readonly Case[] = [
  {
    title: 'an edit that adds change windows and another rule removes at once',
    before: [...fleet(gold), web(tier('gold'))],
    after: [...fleet(gold), web({ ...tier('silver'), ...closed })],
    decided: ['d'],
  },
  {
    title: 'a label that changes outside of the windows waits',
    before: [...fleet(gold), web({ ...tier('gold'), ...closed })],
    after: [...fleet({ ...gold, a: 'silver' }), web({ ...tier('gold'), ...closed })],
    decided: ['a', 'b', 'c'],
  },
  {
    title: 'an edit beside a label that waited lets it leave',
    before: [...fleet(gold), web({ ...tier('gold'), ...closed })],
    after: [...fleet({ ...gold, a: 'silver' }), web({ ...tier('gold'), ...closed, numberOfClusters: 3 })],
    decided: ['b', 'c'],
  },
  {
    title: 'an edit that removes the budget and changes the rule is held by the former budget',
    before: [...fleet(gold), web({ ...tier('gold'), disruptionBudget: { maxRemovals: 1 } })],
    after: [...fleet(gold), web(tier('silver'))],
    decided: ['a', 'b', 'c', 'd'],
  },
  {
    title: 'an edit that adds a budget and another rule is held',
    before: [...fleet(gold), web(tier('gold'))],
    after: [...fleet(gold), web({ ...tier('silver'), disruptionBudget: { maxRemovals: 1 } })],
    decided: ['a', 'b', 'c', 'd'],
  },
  {
    title: 'a release lets a held cluster leave',
    before: [...fleet(gold), web({ ...tier('gold'), disruptionBudget: { maxRemovals: 0 } })],
    after: [
      ...fleet({ ...gold, a: 'silver', b: 'silver' }),
      web(
        { ...tier('gold'), disruptionBudget: { maxRemovals: 0 } },
        { [ALLOW_REMOVALS_ANNOTATION]: '2026-12-31T00:00:00Z/a' },
      ),
    ],
    decided: ['b', 'c'],
  },
  {
    title: 'most clusters that are deleted without a budget are held',
    before: [...fleet(gold), web(tier('gold'))],
    after: [...fleet({ d: 'silver' }), web(tier('gold'))],
    decided: ['a', 'b', 'c'],
  },
  {
    title: 'a pause with another rule freezes the decision',
    before: [...fleet(gold), web(tier('gold'))],
    after: [...fleet(gold), web({ ...tier('silver'), paused: true })],
    decided: ['a', 'b', 'c'],
  },
  {
    title: 'the end of a pause is the first decision, which maxAdditions does not bound',
    before: [...fleet(gold), web({ ...tier('gold'), paused: true, disruptionBudget: { maxAdditions: 1 } })],
    after: [...fleet(gold), web({ ...tier('gold'), disruptionBudget: { maxAdditions: 1 } })],
    decided: ['a', 'b', 'c'],
  },
  {
    title: 'clusters that come to a Placement without any are its first decision',
    before: [...fleet({}), web({ ...tier('gold'), disruptionBudget: { maxAdditions: 1 } })],
    after: [...fleet(gold), web({ ...tier('gold'), disruptionBudget: { maxAdditions: 1 } })],
    decided: ['a', 'b', 'c'],
  },
  {
    title: 'further clusters are bounded by maxAdditions',
    before: [...fleet({ a: 'gold' }), web({ ...tier('gold'), disruptionBudget: { maxAdditions: 1 } })],
    after: [...fleet(gold), web({ ...tier('gold'), disruptionBudget: { maxAdditions: 1 } })],
    decided: ['a'],
  },
  {
    title: 'a cluster that is better now waits for the minimum stay of the selected one',
    before: [...fleet({ a: '10', b: '50' }), web(cheap)],
    after: [...fleet({ a: '90', b: '50' }), web(cheap)],
    decided: ['a'],
  },
  {
    title: 'a cluster with a taint that is tolerated for a time stays',
    before: [
      ...fleet(gold),
      web({ ...tier('gold'), tolerations: [{ key: 'hot', operator: 'Exists', tolerationSeconds: 60 }] }),
    ],
    after: [
      ...fleet(gold, { a: taint }),
      web({ ...tier('gold'), tolerations: [{ key: 'hot', operator: 'Exists', tolerationSeconds: 60 }] }),
    ],
    decided: ['a', 'b', 'c'],
  },
  {
    title: 'a cluster with a taint that is not tolerated leaves',
    before: [...fleet(gold), web(tier('gold'))],
    after: [...fleet(gold, { a: taint }), web(tier('gold'))],
    decided: ['b', 'c'],
  },
];

/** A hub, to which the objects of the files are applied. */
class Hub {
  readonly rig = new PlacementRig();

  async start(): Promise<this> {
    this.rig.api.remove(ManagedClusterSetBindings, { namespace: NAMESPACE, name: 'fleet' });
    this.rig.api.remove(ManagedClusterSets, { name: 'fleet' });
    await this.rig.start();
    return this;
  }

  /** Makes these all objects, as `kubectl apply --prune` does: what the files do not have, stays. */
  async apply(files: readonly RawObject[]): Promise<void> {
    const { api } = this.rig;
    for (const type of TYPES.filter((one) => one !== PlacementDecisions)) {
      const wanted = files.filter(({ kind }) => kind === type.kind);
      for (const { metadata } of api.all<RawObject>(type))
        if (!wanted.some((one) => one.metadata.name === metadata.name)) api.remove(type, metadata);
      for (const one of wanted) {
        const status = api.peek<RawObject>(type, one.metadata)?.status;
        api.put<RawObject>(type, status === undefined ? one : { ...one, status });
      }
    }
    await this.rig.untilIdle(5_000);
  }

  /** What `kubectl get -o yaml` prints of all objects. */
  export(): RawObject[] {
    return TYPES.flatMap((type) =>
      this.rig.api.all<RawObject>(type).map((one) => ({ ...one, apiVersion: apiVersionOf(type), kind: type.kind })),
    );
  }

  decided(): Decided {
    return { decided: Object.values(this.rig.decision('web')).flat().sort(), phase: this.rig.status('web').phase };
  }

  world(files: readonly RawObject[]): World {
    return { ...worldOfObjects(files, NAMESPACE), at: this.rig.clock.now() };
  }
}

interface PlanDocument {
  readonly placements: readonly {
    readonly after?: { readonly phase: string };
    readonly add: readonly { readonly name: string }[];
    readonly stay: readonly string[];
    readonly held: readonly { readonly name: string; readonly cause: string }[];
  }[];
}

interface Decided {
  readonly decided: readonly string[];
  readonly phase: string | undefined;
}

/** The decision of which `plan --offline --base … -f …` speaks, and its phase; `now`: a Placement that does not change is not shown. */
function planned(base: World, files: readonly RawObject[], now: Decided): Decided {
  const { text } = planChange(
    { world: base, namespace: undefined, refused: [] },
    {
      namespace: NAMESPACE,
      manifests: files,
      complete: true,
      deletions: [],
      labels: [],
      output: 'json',
      colored: false,
    },
  );
  const [web] = (JSON.parse(text) as PlanDocument).placements;
  if (web === undefined) return now;
  const held = web.held.filter(({ cause }) => cause !== 'HeldBack');
  const names = [...web.add, ...held].map(({ name }) => name);
  return { decided: [...names, ...web.stay].sort(), phase: web.after?.phase };
}

/** The clusters that `explain --offline -f …` says are in the decision once the controller has looked, and its phase. */
function explained(world: World): Decided {
  const report = explainReport(world, NAMESPACE, 'web');
  const decided = (report?.explanation.clusters ?? []).filter(
    ({ verdict, inDecision }) => verdict === 'Selected' || (verdict === 'Held' && inDecision),
  );
  return { decided: decided.map(({ name }) => name).sort(), phase: report?.satisfaction.phase };
}

const claim = { name: 'platform', value: 'AWS' };
const exists = { key: 'platform', operator: 'Exists' };

function without(files: readonly RawObject[], name: string): RawObject[] {
  return files.filter((one) => one.metadata.name !== name);
}

/** The objects as a command reads them. */
async function readFromFile(objects: readonly RawObject[]): Promise<readonly RawObject[]> {
  const folder = mkdtempSync(path.join(tmpdir(), 'files-'));
  try {
    const file = path.join(folder, 'all.json');
    writeFileSync(file, JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects }));
    return await readFiles([file]);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

describe('files without a status are objects that are applied now', () => {
  it.each(cases)('plan --offline says what a hub does: $title', async ({ before, after, decided }) => {
    const hub = await new Hub().start();
    await hub.apply(before);
    const now = hub.decided();
    const plans = [before, hub.export()].map((base) => planned(hub.world(base), after, now));
    await hub.apply(after);

    expect(hub.decided().decided).toEqual(decided);
    expect(plans).toEqual([hub.decided(), hub.decided()]);
  });

  it.each(cases)('explain --offline says what a hub does that has nothing before: $title', async ({ after }) => {
    const hub = await new Hub().start();
    const found = explained(hub.world(after));
    await hub.apply(after);

    expect(found).toEqual(hub.decided());
  });

  it.each(cases)(
    'explain --offline of what a hub has says what the hub does next: $title',
    async ({ before, after }) => {
      const hub = await new Hub().start();
      await hub.apply(before);
      await hub.apply(after);

      const found = explained(hub.world(hub.export()));
      expect(found).toEqual(hub.decided());
    },
  );

  it('a cluster that a hub knows to have never joined comes in neither there nor in a plan of its export', async () => {
    const agent = { c: { hubAcceptsClient: true } };
    const hub = await new Hub().start();
    await hub.apply([...fleet({ a: 'gold', c: 'silver' }, agent), web(tier('gold'))]);
    const now = hub.decided();
    const after = [...fleet({ a: 'gold', c: 'gold' }, agent), web(tier('gold'))];
    const plan = planned(hub.world(hub.export()), after, now);
    await hub.apply(after);

    expect(plan).toEqual(hub.decided());
    expect(explained(hub.world(hub.export()))).toEqual(hub.decided());
    expect(explained(hub.world(after)).decided).toEqual(['a', 'c']);
  });

  it('a field that the API server sets by default is no edit', async () => {
    const spec = { ...tier('gold'), ...closed, disruptionBudget: { maxRemovals: 3 } };
    const stored = { ...spec, disruptionBudget: { maxRemovals: 3, windowSeconds: 3600 } };
    const hub = await new Hub().start();
    await hub.apply([...fleet(gold), web(stored)]);
    const now = hub.decided();
    const files = await readFromFile([...fleet({ ...gold, a: 'silver' }), web(spec)]);
    const plan = planned(hub.world(hub.export()), files, now);
    await hub.apply([...fleet({ ...gold, a: 'silver' }), web(stored)]);

    expect(plan).toEqual({ decided: ['a', 'b', 'c'], phase: 'Waiting' });
    expect(hub.decided()).toEqual(plan);
  });

  it('a status in a file, as kubectl get prints it, is that of the object', async () => {
    const hub = await new Hub().start();
    const byClaim = { predicates: [{ requiredClusterSelector: { claimSelector: { matchExpressions: [exists] } } }] };
    const joined = (files: readonly RawObject[]): RawObject[] =>
      files.map((one) => (one.metadata.name === 'a' ? { ...one, status: { clusterClaims: [claim] } } : one));
    const files = [...fleet(gold), web(byClaim)];
    await hub.apply(joined(files));
    const now = hub.decided();

    expect(now.decided).toEqual(['a']);
    expect(planned(hub.world(hub.export()), files, now)).toEqual(now);
    expect(explained(hub.world(joined(files)))).toEqual(now);
    expect(planned(hub.world(hub.export()), without(joined(files), 'a'), now).decided).toEqual([]);
  });
});
