import type { ManagedCluster } from '../../src/api/generated/managedcluster.js';
import type { Placement } from '../../src/api/generated/placement.js';
import type { PlacementDecision } from '../../src/api/generated/placementdecision.js';
import { deepFreeze } from '../../src/runtime/vocabulary/json.js';
import { ManagedClusters } from '../../src/api/resources.js';
import { keyOf } from '../../src/runtime/vocabulary/names.js';
import { clusterCacheOptions } from '../../src/operator/controllers/clusters/caches.js';
import { timestamp } from '../../src/runtime/vocabulary/meta.js';
import {
  decisionObject,
  readDecision,
  type DecisionOwner,
  type Published,
} from '../../src/domain/placement/stored/decision.js';
import { contentOf } from '../../src/domain/placement/stored/items.js';
import { compileSpec } from '../../src/domain/placement/spec/predicates.js';
import { clusterView } from '../../src/domain/placement/spec/cluster.js';
import { schedule } from '../../src/domain/placement/select/schedule.js';
import { publishedBy, sliceChanges } from '../../src/domain/placement/publish/slices.js';
import type { PlacementSnapshot } from '../../src/domain/placement/select/snapshot.js';
import { placementReport, statusToWrite } from '../../src/domain/placement/report/status.js';
import { PlacementIndex } from '../../src/operator/index/placementindex.js';
import type { Reading } from '../../src/operator/index/reading.js';
import { parseEvent } from '../../src/runtime/cache/watch.js';
import { ObjectStore } from '../../src/runtime/cache/store.js';

const NOW = Date.UTC(2026, 0, 1);
const WATCH = { verb: 'watch', resource: 'managedclusters' };

interface KnownPlacement {
  readonly owner: DecisionOwner;
  placement: Placement;
  readonly decisions: Map<string, PlacementDecision>;
  published: Published | undefined;
}

/**
 * One replica of the placement controller without its connections: it receives texts, keeps caches and index as the
 * controller does, and decides with the same functions. What it writes becomes its own cache at once.
 */
export class Replica {
  readonly index = new PlacementIndex();
  readonly #clusters = new ObjectStore<ManagedCluster>({}, (_, error) => {
    throw error;
  });
  readonly #placements = new Map<string, KnownPlacement>();
  /** Writes that would have been sent. */
  writes = 0;

  /** Receives an event of a cluster; returns the keys of the Placements to decide again. */
  receiveCluster(line: string): readonly string[] {
    const event = parseEvent<ManagedCluster>(line, { type: ManagedClusters }, WATCH);
    if (event.type !== 'MODIFIED') throw new Error(`scale: an event ${event.type}`);
    const kept = clusterCacheOptions.clusters.transform?.(event.object) ?? event.object;
    this.#clusters.set(deepFreeze(kept));
    return this.index.upsertCluster(clusterView(kept)).placements;
  }

  receivePlacement(text: string): void {
    const placement = deepFreeze<Placement>(JSON.parse(text));
    const { namespace = '', name, uid = '' } = placement.metadata;
    const key = keyOf(placement.metadata);
    this.index.upsertPlacement(key, { namespace, rules: compileSpec(placement.spec) });
    const owner = { namespace, name, uid };
    this.#placements.set(key, { owner, placement, decisions: new Map(), published: undefined });
  }

  /** The clusters that the Placement has selected. */
  selected(key: string): readonly string[] {
    return this.#placements.get(key)?.published?.lists?.flat() ?? [];
  }

  /** One reconcile: gather, decide, apply, report. */
  decide(key: string): void {
    const known = this.#placements.get(key);
    if (known === undefined) throw new Error(`scale: there is no Placement ${key}`);
    const reading = this.index.begin(key);
    if (reading === undefined) throw new Error(`scale: the index has no Placement ${key}`);
    const snapshot = snapshotOf(reading, known);
    const decided = schedule(snapshot);
    const changes = sliceChanges(snapshot, decided);
    const after = publishedBy(changes);
    reading.commit({ decision: decided, before: known.published, after });
    for (const write of changes.writes) {
      if (write.kind === 'delete') known.decisions.delete(write.name);
      else known.decisions.set(write.name, this.#stored(known, write));
    }
    known.published = after;
    const report = placementReport(snapshot, decided, { changes, done: changes.writes.length });
    const status = statusToWrite(known.placement.status, report, timestamp(NOW));
    if (status !== undefined) known.placement = received({ ...known.placement, status });
    this.writes += changes.writes.length + (status === undefined ? 0 : 1);
  }

  #stored(
    { owner, decisions }: KnownPlacement,
    {
      name,
      ordinal,
      clusters,
    }: { readonly name: string; readonly ordinal: number; readonly clusters: readonly string[] },
  ): PlacementDecision {
    const object = decisionObject(owner, ordinal, contentOf(clusters), decisions.get(name));
    const metadata = { ...object.metadata, uid: owner.uid, resourceVersion: String(this.writes + 1) };
    return received<PlacementDecision>({ ...object, metadata });
  }
}

function snapshotOf(reading: Reading, { owner, placement, decisions, published }: KnownPlacement): PlacementSnapshot {
  const { rules, bindings, sets, candidates } = reading;
  const stored = [...decisions.values()].map((object) => readDecision(object, owner));
  return {
    placement: {
      ...owner,
      generation: 1,
      rules,
      release: undefined,
      releasedAdditions: undefined,
      status: placement.status,
    },
    bindings,
    sets,
    timedSets: [],
    candidates,
    selected: reading.clusters((published?.lists ?? []).flat()),
    othersSelecting: reading.othersSelecting,
    stored,
    published,
    definitions: undefined,
    now: NOW,
  };
}

/** The object as a cache holds it after it was received: its texts are shared with no other object. */
function received<T>(object: T): T {
  return deepFreeze<T>(JSON.parse(JSON.stringify(object)));
}
