import type { Clock } from '../../../runtime/clock.js';
import type { Placement } from '../../../api/generated/placement.js';
import type { PlacementDecision } from '../../../api/generated/placementdecision.js';
import type { Expressions } from '../../../domain/placement/spec/expression.js';
import type { Collection, CollectionWindow } from '../../../domain/placement/select/waiting.js';
import type { Before, ClusterView } from '../../../domain/placement/select/snapshot.js';
import type { History } from '../../../domain/placement/stored/history.js';
import type { DecisionWrite } from '../../../domain/placement/publish/writeorder.js';
import type { Published } from '../../../domain/placement/stored/decision.js';
import type { PlacementIndex } from '../../index/placementindex.js';
import type { KubeClient } from '../../../runtime/client/client.js';
import type { EventRecorder } from '../../../runtime/events/recorder.js';
import type { PlacementMetrics } from '../metrics.js';
import type { ChangeFilter, MutationCache } from '../../../runtime/controller/mutationcache.js';
import type { Pass, Result } from '../../../runtime/controller/result.js';
import type { PlacementCaches } from './caches.js';
import type { DeletionCheck } from '../deletions.js';

/** What is kept of one Placement between reconciles. All of it may be lost at any time. */
export interface PlacementState {
  readonly uid: string;
  /** What was last published; undefined before the first reconcile. */
  published: Published | undefined;
  /** Names of the known decision objects: the cache may not show those that were just created. */
  readonly decisions: Set<string>;
  /** Names of the decision objects whose last write may or may not be stored: they are read before the next decision. */
  readonly unconfirmed: Set<string>;
  /** The last write, where it may or may not be stored, and what is published if it is, as above; undefined where that is known. */
  doubt: { readonly write: DecisionWrite; readonly published: Published | undefined } | undefined;
  /** The spec and the eligible sets of the last decision; undefined before the first. */
  decided: Omit<Before, 'cluster'> | undefined;
  /** In how many passes, up to the last one, the definitions could not be read. */
  withoutDefinitions: number;
  /** What counts and waits for further changes of the same command; undefined while there is nothing. */
  collection: Collection | undefined;
  /** Kind and name of the object whose change was the first since the last decision; undefined where it is not known. */
  trigger: string | undefined;
  /** When time alone changes the decision next, ms since the epoch; undefined for never. */
  due: number | undefined;
  /** What the history has to tell and no decision object has: what was recorded in objects that were deleted, and edits by others. */
  carried: History;
  /** The decision objects that others have changed, by name, as they were before; undefined: they did not exist. */
  readonly edited: Map<string, PlacementDecision | undefined>;
}

/** What all reconciles of Placements share. */
export interface PlacementContext {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly caches: PlacementCaches;
  readonly index: PlacementIndex;
  /** Own writes that the caches may not show yet. */
  readonly mutations: {
    readonly placements: MutationCache<Placement>;
    readonly decisions: MutationCache<PlacementDecision>;
  };
  readonly changeFilter: ChangeFilter;
  /** The compiled expressions of the specs in the index. */
  readonly expressions: Expressions;
  /** Key → the state of every Placement that this process has reconciled and that exists. */
  readonly states: Map<string, PlacementState>;
  /** Clusters whose labels or claims changed, by name: how they were before the last such change. */
  readonly earlier: Map<string, ClusterView>;
  readonly collectionWindow: CollectionWindow;
  readonly deletions: DeletionCheck;
  /** Key → the first change since its last pass that concerns it, as the history names it. */
  readonly triggers: Map<string, string>;
  /** Keys to enqueue again as soon as all caches are current. */
  readonly postponed: Set<string>;
  readonly recorder: EventRecorder;
  /** Bounds the explanations in events. */
  readonly explanations: ExplanationLimit;
  readonly metrics?: PlacementMetrics;
  /** Requests a reconcile of a Placement. */
  readonly enqueue: (key: string) => void;
  /** Likewise, in so many ms. */
  readonly enqueueAfter: (key: string, ms: number) => void;
}

/** A pass that ends before anything is written. */
export interface Nothing {
  readonly kind: 'nothing';
  readonly result: Result;
}

/** What one reconcile of one Placement works with. */
export interface Scope extends PlacementContext {
  readonly key: string;
  readonly namespace: string;
  readonly name: string;
  readonly pass: Pass;
}

/** How many Placements whose status changes in one window are explained in their events. */
const MOST_EXPLAINED = 10;
/** A window is longer by this many times the time that its explanations took: they take a tenth of the time at most. */
const REST = 9;

/**
 * Bounds the explanations in events: each costs the size of the candidate pool, and one change of the fleet can change the
 * status of thousands of Placements. The first ten of a settle window are explained.
 */
export class ExplanationLimit {
  readonly #clock: Clock;
  readonly #windowMs: number;
  #endsAt = -Infinity;
  #wanted = 0;

  constructor(clock: Clock, windowMs: number) {
    this.#clock = clock;
    this.#windowMs = windowMs;
  }

  /**
   * Returns what `make` returns; undefined for an explanation that is one too many. `requestedAt`: monotonic ms at which the
   * change was seen, not when its pass began.
   */
  explain<T>(requestedAt: number, make: () => T): T | undefined {
    if (requestedAt > this.#endsAt) {
      this.#endsAt = requestedAt + this.#windowMs;
      this.#wanted = 0;
    }
    this.#wanted += 1;
    if (this.#wanted > MOST_EXPLAINED) return undefined;
    const began = this.#clock.monotonic();
    const made = make();
    this.#endsAt += REST * (this.#clock.monotonic() - began);
    return made;
  }
}
