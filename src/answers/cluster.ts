import { asRecord, field, textField } from '../runtime/vocabulary/json.js';
import { maintenanceOf } from '../domain/clusters/maintenance.js';
import { readClusterSelector, type ClusterSelector } from '../domain/clusters/selector.js';
import { explain } from '../domain/placement/explain/explain.js';
import { timeText } from '../domain/placement/explain/taints.js';
import type { VerdictWord } from '../api/verdicts.js';
import { verdictWord, type Verdict } from '../domain/placement/explain/verdict.js';
import { unmet } from '../domain/placement/select/rules.js';
import type { ClusterView } from '../domain/placement/select/snapshot.js';
import type { PlacementRules } from '../domain/placement/spec/predicates.js';
import { editsOf, type Edit } from './history.js';
import { healthByName, type ClusterHealth } from './fleetsummary.js';
import { lacksText, reasonText } from './reasons.js';
import { conditionsOf, type Condition } from './status.js';
import { judgedSelectionsOf, ranksIn, withoutText, type Selection } from './whoselects.js';
import { setsOf, type Selectors } from './world/clustertable.js';
import { inputsOf, once, type World } from './world/world.js';

/** One cluster: how it is, who selects it, and who could. */
export interface ClusterAnswer extends ClusterHealth {
  readonly name: string;
  /** `spec.displayName`; absent without one. */
  readonly displayName?: string;
  readonly version?: string;
  readonly sets: readonly string[];
  readonly labels: Readonly<Record<string, string>>;
  readonly claims: Readonly<Record<string, string>>;
  readonly taints: readonly {
    readonly key: string;
    readonly value: string;
    readonly effect: string;
    readonly since?: string;
  }[];
  /** `Cordoned` or `Draining`. */
  readonly maintenance?: string;
  readonly conditions: readonly Condition[];
  readonly selectedBy: readonly RankedSelection[];
  readonly matchedBy: readonly Candidacy[];
  /** The Placements of which it lacks one requirement. */
  readonly missedBy: readonly Candidacy[];
  /** How many Placements could be read. */
  readonly placements: number;
  readonly deleting: boolean;
  /** Who has edited it: the last edit of each field manager, the newest first. */
  readonly edits: readonly Edit[];
}

interface Ranked {
  /** The rank of the cluster for the Placement, from 1; absent for a cluster that leaves, and where it is not known. */
  readonly rank?: number;
}

/** A Placement that selects the cluster, as `who-selects` describes it. */
export interface RankedSelection extends Selection, Ranked {
  /** As `explain` has it; absent where the Placement could not be read. */
  readonly word?: VerdictWord;
  /** What the Placement selects without the cluster, in words. */
  readonly instead: string;
}

/** A Placement that matches the cluster and does not select it, with what keeps it out. */
export interface Candidacy extends Ranked {
  readonly namespace: string;
  readonly placement: string;
  readonly verdict: VerdictWord;
  readonly why: string;
}

/** The claims that name the version of a cluster whose status does not: the agent's, and one that people write by hand. */
const VERSION_CLAIMS = ['kubeversion.cluster.fleetmgmt.io', 'kubernetes'] as const;

/** Undefined when there is no such cluster. */
export function clusterAnswer(world: World, name: string): ClusterAnswer | undefined {
  const object = world.objects.managedclusters.find(({ metadata }) => metadata.name === name);
  const view = inputsOf(world).cluster(name);
  const health = healthByName(world).get(name);
  if (object === undefined || view === undefined || health === undefined) return undefined;
  const selectedBy = judgedSelectionsOf(world, name).map((one): RankedSelection => {
    return { ...one, ...rankIn(world, one, { name, verdict: one.verdict }), instead: withoutText(one.without) };
  });
  const others = candidacies(world, view, selectedBy);
  const version = versionOf(object.status, view.claims);
  const maintenance = maintenanceOf(asRecord(object.spec));
  const displayName = textField(object.spec, 'displayName');
  return {
    name,
    ...(displayName === '' ? {} : { displayName }),
    ...health,
    ...(version === undefined ? {} : { version }),
    sets: setsOf(view, selectorsOf(world)),
    labels: view.labels,
    claims: view.claims,
    taints: view.taints.map(({ key, value, effect, since: from }) => {
      const since = timeText(from);
      return { key, value, effect, ...(since === undefined ? {} : { since }) };
    }),
    ...(maintenance === undefined ? {} : { maintenance }),
    conditions: conditionsOf(object.status),
    selectedBy,
    matchedBy: others.filter(({ verdict }) => verdict !== 'NotMatched'),
    missedBy: others.filter(({ verdict }) => verdict === 'NotMatched'),
    placements: world.objects.placements.length,
    deleting: object.metadata.deletionTimestamp !== undefined,
    edits: editsOf(object, true),
  };
}

/** The rank of the cluster; without one if a rule keeps it out or makes it leave. Ranks of a Placement are computed once a world. */
function rankIn(
  world: World,
  { namespace, placement }: Pick<Selection, 'namespace' | 'placement'>,
  { name, verdict }: { readonly name: string; readonly verdict: Verdict | undefined },
): Ranked {
  if (verdict !== 'Selected' && verdict !== 'NotNeeded') return {};
  const ranks = once(world, `ranks ${namespace}/${placement}`, () => {
    const input = inputsOf(world).input({ namespace, name: placement });
    return input === undefined ? undefined : ranksIn(input);
  });
  const found = ranks?.get(name);
  return found === undefined ? {} : { rank: found };
}

/** The Placements that match the cluster or whose predicates it misses by one requirement, without those that select it. */
function candidacies(world: World, view: ClusterView, selectedBy: readonly Selection[]): readonly Candidacy[] {
  const selecting = new Set(selectedBy.map(({ namespace, placement }) => `${namespace}/${placement}`));
  return world.objects.placements.flatMap(({ metadata: { namespace = '', name: placement } }): Candidacy[] => {
    const isSelecting = selecting.has(`${namespace}/${placement}`);
    const input = isSelecting ? undefined : inputsOf(world).input({ namespace, name: placement });
    if (input === undefined || !input.readable.fleet) return [];
    const sets = setsOf(view, input.selectors);
    if (sets.length === 0 || !isNear(input.snapshot.placement.rules, view)) return [];
    const explanation = explain({ ...input, members: [{ cluster: view, sets }] });
    const found = explanation.clusters.find(({ name }) => name === view.name);
    if (found === undefined) return [];
    const verdict = found.causes.includes('NotMatched') ? 'NotMatched' : verdictWord(found, explanation);
    const rank = rankIn(world, { namespace, placement }, found);
    const why = verdict === 'NotMatched' ? lacksText(found) : reasonText(found, explanation);
    return [{ namespace, placement, verdict, ...rank, why }];
  });
}

/** Whether the cluster matches a predicate, or there is none, or it lacks one requirement of one. */
function isNear({ predicates }: PlacementRules, view: ClusterView): boolean {
  return predicates.length === 0 || predicates.some((one) => unmet(one, view).length <= 1);
}

/** The version that the cluster reports, else that of a claim. */
export function versionOf(status: unknown, claims: Readonly<Record<string, string>>): string | undefined {
  const reported = textField(field(status, 'version'), 'kubernetes');
  if (reported !== '') return reported;
  return VERSION_CLAIMS.map((name) => claims[name]).find((one) => one !== undefined);
}

/** The selectors of all sets that can be read, by name. */
export function selectorsOf({ objects }: World): Selectors {
  const selectors = new Map<string, ClusterSelector>();
  for (const { metadata, spec } of objects.managedclustersets) {
    const selector = readClusterSelector(spec);
    if (selector.kind !== 'unreadable') selectors.set(metadata.name, selector);
  }
  return selectors;
}
