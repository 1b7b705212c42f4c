import { selects } from '../../../src/domain/clusters/selector.js';
import { candidatesAmong, type FleetMember } from '../../support/builders/candidates.js';
import { eligibleSets, setView } from '../../../src/domain/placement/select/eligible.js';
import type { IndexedDecision } from '../../../src/operator/index/reading.js';
import { compileSpec } from '../../../src/domain/placement/spec/predicates.js';
import { statementsOf } from '../../../src/domain/placement/report/statements.js';
import { waitingTexts } from '../../../src/domain/placement/report/holds.js';
import { groupOf } from '../../../src/domain/placement/spec/groups.js';
import { selectedClusters } from '../../../src/domain/placement/select/decision.js';
import type { Published } from '../../../src/domain/placement/stored/decision.js';
import { publishedLists } from '../../support/builders/placement.js';
import type {
  BindingView,
  ClusterView,
  PlacementSnapshot,
  SetView,
} from '../../../src/domain/placement/select/snapshot.js';
import { scheduled } from '../../support/builders/scheduled.js';

interface ModelSet {
  readonly deleting: boolean;
  readonly spec: unknown;
}

interface ModelPlacement {
  readonly namespace: string;
  readonly spec: unknown;
  published: Published;
  /** Reported as affected, and not reconciled yet. */
  pending: boolean;
}

/** All inputs, and the content that an index of them must have, computed by the pure functions from all objects. */
export class Model {
  readonly clusters = new Map<string, ClusterView>();
  readonly sets = new Map<string, ModelSet>();
  readonly bindings = new Map<string, Map<string, BindingView>>();
  readonly placements = new Map<string, ModelPlacement>();

  fleet(): FleetMember[] {
    const views = [...this.#views().values()];
    return [...this.clusters.values()].map((one) => {
      const sets = views.filter(({ name, selector }) => selects(name, selector, one.labels));
      return { cluster: one, sets: sets.map(({ name }) => name) };
    });
  }

  #views(): Map<string, SetView> {
    return new Map(
      [...this.sets].map(([name, { deleting, spec }]) => [
        name,
        { ...setView({ metadata: { name }, spec }), deleting },
      ]),
    );
  }

  snapshot(key: string): PlacementSnapshot {
    const { namespace, spec, published } = this.#placement(key);
    const rules = compileSpec(spec);
    const bindings = [...(this.bindings.get(namespace)?.values() ?? [])];
    const sets = this.#views();
    const { eligible } = eligibleSets(rules, bindings, sets);
    const candidates =
      rules.problem === undefined ? candidatesAmong(this.fleet(), eligible, rules) : candidatesAmong([], [], rules);
    return {
      placement: {
        namespace,
        name: key,
        uid: key,
        generation: 1,
        rules,
        release: undefined,
        releasedAdditions: undefined,
        status: { observedGeneration: 1 },
      },
      bindings,
      sets,
      timedSets: [...sets.values()].filter(({ times }) => times !== undefined),
      candidates,
      selected: this.clusters,
      othersSelecting: this.#othersSelecting(key),
      stored: [],
      published,
      definitions: undefined,
      now: 0,
    };
  }

  #othersSelecting(key: string): (name: string) => number {
    const others = [...this.placements]
      .filter(([other]) => other !== key)
      .map(([, { published }]) => (published.lists ?? []).flat());
    return (name) => others.filter((clusters) => clusters.includes(name)).length;
  }

  /** Everything that a reconcile of the Placement could write. */
  outcome(key: string): unknown {
    const seen = this.snapshot(key);
    const decided = scheduled(seen);
    const { eligibility, kept, added, dropped, lookAgain } = decided;
    const { groups } = seen.placement.rules;
    const groupIn = (name: string): string | undefined => {
      const view = this.clusters.get(name);
      return groups && view && groupOf(groups, view);
    };
    return {
      groups: [...kept.flat(), ...added].map(groupIn),
      eligibility,
      kept,
      added,
      dropped,
      lookAgain,
      waits: waitingTexts(seen, decided),
      facts: statementsOf(seen, decided, new Set(selectedClusters(decided))),
    };
  }

  /** Reconciles the Placement. */
  reconcile(key: string): IndexedDecision {
    const decided = scheduled(this.snapshot(key));
    const { kept, added } = decided;
    const placement = this.#placement(key);
    const before = placement.published;
    placement.published = publishedLists([[...kept.flat(), ...added]]);
    placement.pending = false;
    return { decision: decided, before, after: placement.published };
  }

  #placement(key: string): ModelPlacement {
    const placement = this.placements.get(key);
    if (placement === undefined) throw new Error(`no placement ${key}`);
    return placement;
  }
}
