import type { RawObject } from '../../runtime/vocabulary/meta.js';
import { keyOf } from '../../runtime/vocabulary/names.js';
import { overlay, type Change } from '../world/overlay.js';
import { forecastOf } from '../world/forecast.js';
import { planFleet } from '../plan/plan.js';
import { grouped, inputsOf, once, type PlacementInput, type World } from '../world/world.js';
import { selects } from '../../domain/clusters/selector.js';
import { withLabels, type LabelChanges } from '../../domain/placement/explain/fix.js';
import { firstFailure, type Subject } from '../../domain/placement/select/rules.js';
import type { ClusterView } from '../../domain/placement/select/snapshot.js';
import type { FleetReading } from '../world/worlds.js';
import { someNames } from '../output.js';
import { stuck } from '../../domain/placement/select/decision.js';

/** Tells which other Placements a proposal harms: those that lose a cluster by it. */

export type OtherPlacements = Pick<FleetReading, 'world' | 'refused'>;

/** Another Placement, and the clusters of its decision as it is now. */
interface Other {
  readonly input: PlacementInput;
  readonly clusters: readonly string[];
  /** A cluster of it leaves when another one can take its place. */
  readonly yields: boolean;
}

const UNREAD = 'a Placement that you cannot read may lose a cluster';
const MOST_NAMES = 3;

/**
 * Each answer is a text such as `shop/api would lose a`; undefined: nobody loses a cluster. Where not all Placements can be read
 * that a change can reach, one of them may lose one. Placements are judged once, so that thousands of clusters can be asked
 * for.
 */
export class Harm {
  readonly #world: World;
  readonly #refused: boolean;

  /** `own`: the Placement that is explained. */
  constructor({ world, refused }: OtherPlacements, own: { readonly namespace: string; readonly name: string }) {
    const isOther = ({ metadata }: RawObject): boolean =>
      metadata.namespace !== own.namespace || metadata.name !== own.name;
    this.#world = { ...world, objects: { ...world.objects, placements: world.objects.placements.filter(isOther) } };
    this.#refused = refused.length > 0;
  }

  /** Which Placement loses the cluster by changed labels, as text; undefined where none does. */
  ofLabels(name: string, labels: LabelChanges): string | undefined {
    if (this.#refused || this.#world.withheld.length > 0) return UNREAD;
    const cluster = inputsOf(this.#world).cluster(name);
    if (cluster === undefined || this.#world.objects.placements.length === 0) return undefined;
    const changed = { ...cluster, labels: withLabels(cluster.labels, labels) };
    const loser = holdersIn(this.#world)
      .get(name)
      ?.find(({ input }) => passes(cluster, input, { selected: true }) && !passes(changed, input, { selected: true }));
    if (loser !== undefined) return lostText(loser.input.snapshot.placement, [name]);
    const replacing = othersIn(this.#world).filter(
      ({ yields, clusters, input }) =>
        yields && !clusters.includes(name) && passes(changed, input, { selected: false }),
    );
    return this.#lostBy(labelChanges(name, labels), replacing);
  }

  /** Which Placement of the namespace loses clusters by changes that concern no other namespace, as text; undefined for none. */
  ofObjects(changes: readonly Change[], namespace: string): string | undefined {
    if (this.#world.withheld.length > 0) return UNREAD;
    const here = othersIn(this.#world).filter(({ input }) => input.snapshot.placement.namespace === namespace);
    return this.#lostBy(changes, here);
  }

  #lostBy(changes: readonly Change[], others: readonly Other[]): string | undefined {
    if (others.length === 0) return undefined;
    const keys = new Set(others.map((one) => keyOf(one.input.snapshot.placement)));
    const placements = this.#world.objects.placements.filter(({ metadata: { namespace = '', name } }) =>
      keys.has(keyOf({ namespace, name })),
    );
    const world = { ...this.#world, objects: { ...this.#world.objects, placements } };
    for (const plan of planFleet(world, overlay(world, changes))) {
      const held = plan.held.filter(({ cause, already }) => cause !== 'HeldBack' && already !== true);
      const lost = [...plan.remove, ...held];
      if (lost.length > 0) return lostText(plan, lost.map(({ name }) => name).sort());
    }
    return undefined;
  }
}

function othersIn(world: World): readonly Other[] {
  return once(world, 'others', () =>
    world.objects.placements.flatMap(({ metadata: { namespace = '', name } }) => {
      const input = inputsOf(world).input({ namespace, name });
      if (input === undefined || input.deleting) return [];
      const { clusters, decision } = forecastOf(input.snapshot);
      return [{ input, clusters, yields: stuck(decision).length > 0 }];
    }),
  );
}

/** Who has each cluster. */
function holdersIn(world: World): ReadonlyMap<string, readonly Other[]> {
  return once(world, 'holders', () =>
    grouped(
      othersIn(world),
      ({ clusters }) => clusters,
      (one) => one,
    ),
  );
}

export function labelChanges(cluster: string, labels: LabelChanges): readonly Change[] {
  return Object.entries(labels).map(([key, value]): Change => {
    return { kind: 'label', resource: 'managedclusters', object: { name: cluster }, key, value: value ?? undefined };
  });
}

/** Whether the cluster passes every rule of the Placement. */
function passes(
  cluster: ClusterView,
  { selectors, snapshot }: PlacementInput,
  { selected }: Pick<Subject, 'selected'>,
): boolean {
  const { placement, now } = snapshot;
  const member = [...selectors].some(([set, selector]) => selects(set, selector, cluster.labels));
  return firstFailure({ cluster, member, selected, now }, placement.rules) === undefined;
}

function lostText(placement: { readonly namespace: string; readonly name: string }, names: readonly string[]): string {
  return `${keyOf(placement)} would lose ${someNames(names, MOST_NAMES)}`;
}
