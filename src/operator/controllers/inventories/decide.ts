import { isBraked, isAvailable } from '../../../domain/inventories/source.js';
import { fieldsToApply, wantedCluster, withoutNewTaint } from '../../../domain/inventories/managedcluster.js';
import type { ManagedCluster } from '../../../api/generated/managedcluster.js';
import { DONE, type Result } from '../../../runtime/controller/result.js';
import { GRACE_PERIOD_MS } from '../deletions.js';
import type { Gathered, InventoryCache, Scope } from './gather.js';

const BRAKED_TAINT_RETRY_MS = 60_000;
const NOT_CURRENT_RETRY_MS = 5_000;
const LONGEST_WAIT_MS = 86_400_000;

type Known = Extract<Gathered, { kind: 'known' }>;
type Fields = ReturnType<typeof wantedCluster>;

/** What becomes of one ManagedCluster. `result`: how a pass ends that carries it out. */
export type Decision =
  | { readonly kind: 'nothing'; readonly result: Result }
  | {
      readonly kind: 'apply';
      readonly source: string;
      readonly stored: ManagedCluster | undefined;
      /** All fields that the inventory describes. */
      readonly wanted: Fields;
      /** Those that differ from the stored ones; undefined for none. */
      readonly changed: ReturnType<typeof fieldsToApply>;
      readonly result: Result;
    }
  /** To be deleted, if its source is gone for certain, and unless most of the inventory is. */
  | { readonly kind: 'remove'; readonly stored: ManagedCluster; readonly inventory: InventoryCache };

type DecisionScope = Pick<Scope, 'name' | 'clock' | 'memory' | 'counts'>;

/** Sends and writes nothing. */
export function decide(gathered: Gathered, scope: DecisionScope): Decision {
  switch (gathered.kind) {
    case 'notCurrent':
      return nothing({ ending: 'wait', reason: 'clusters cannot be read', afterMs: NOT_CURRENT_RETRY_MS });
    case 'none':
      return nothing(DONE);
    case 'taken':
      return nothing({ ending: 'stalled', reason: 'the ManagedCluster of this name is not managed by the inventory' });
    case 'known':
      return decideFields(gathered, scope);
    case 'missing': {
      const remainingMs = untilGraceEnds(scope.memory.missingSince, scope);
      if (remainingMs > 0) return nothing({ ending: 'wait', reason: 'the source has just gone', afterMs: remainingMs });
      return { kind: 'remove', stored: gathered.stored, inventory: gathered.inventory };
    }
  }
}

function nothing(result: Result): Decision {
  return { kind: 'nothing', result };
}

function decideFields(known: Known, scope: DecisionScope): Decision {
  const { cluster, stored } = known;
  const taintInMs = untilTaint(known, scope);
  const fields = wantedCluster(cluster);
  const wanted = (taintInMs > 0 ? withoutNewTaint(fields, stored) : undefined) ?? fields;
  const waits = [wanted === fields ? [] : taintInMs, untilExpiry(known, scope) ?? []].flat();
  const result: Result = waits.length === 0 ? DONE : { ending: 'done', requeueAfterMs: Math.min(...waits) };
  return { kind: 'apply', source: cluster.source, stored, wanted, changed: fieldsToApply(wanted, stored), result };
}

/** Ms until the cluster may get the taint of its availability, or is looked at again; 0: now, as a new cluster may at once. */
function untilTaint({ cluster, inventory, stored }: Known, scope: DecisionScope): number {
  if (stored === undefined || isAvailable(cluster)) return 0;
  const count = scope.counts.of(inventory);
  const brakedMs = isBraked(count.unavailable, count) ? BRAKED_TAINT_RETRY_MS : 0;
  return Math.max(untilGraceEnds(scope.memory.unavailableSince, scope), brakedMs);
}

/** Ms until a score expires first; undefined for never. Looked at again each day: the wall clock may be set meanwhile. */
function untilExpiry({ until }: Known, { clock }: DecisionScope): number | undefined {
  return until && Math.min(Math.max(until - clock.now(), 0), LONGEST_WAIT_MS);
}

/** The ms until the grace period of the cluster ends. `since`: name of a cluster → when it began, monotonic ms. */
function untilGraceEnds(since: ReadonlyMap<string, number>, { name, clock }: DecisionScope): number {
  const now = clock.monotonic();
  return (since.get(name) ?? now) + GRACE_PERIOD_MS - now;
}
