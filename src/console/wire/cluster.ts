import type { ClusterHealth } from '../../answers/fleetsummary.js';
import type { Condition } from '../../answers/status.js';

/** Cluster sets, engines and events. */

export interface SetView {
  readonly name: string;
  readonly clusters: number;
  readonly bindings: readonly string[];
  readonly selector: string;
}

/** One cluster set: who is in it, and who may select from it. */
export interface SetMembers {
  readonly name: string;
  /** What makes a cluster a member. */
  readonly selector: string;
  readonly deleting: boolean;
  /** How many members it has, in all. */
  readonly clusters: number;
  readonly after: number;
  /** By name. */
  readonly rows: readonly SetMember[];
  readonly bindings: readonly SetBinding[];
}

export interface SetMember extends ClusterHealth {
  readonly name: string;
}

export interface SetBinding {
  readonly namespace: string;
  readonly name: string;
  /** Why no Placement of the namespace selects by it; absent where they may. */
  readonly ignored?: string;
}

export interface EngineView {
  readonly engines: readonly Engine[];
  readonly sets: readonly SetView[];
}

export interface Engine {
  readonly name: string;
  readonly phase: string;
  readonly version: string;
  readonly message: string;
  readonly paused: boolean;
  readonly conditions: readonly Condition[];
  readonly components: readonly Component[];
}

export interface Component {
  readonly kind: string;
  readonly name: string;
  readonly namespace: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
}

export interface EventRow {
  readonly time: string;
  readonly type: string;
  readonly reason: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly note: string;
  readonly count: number;
}

export interface Events {
  readonly rows: readonly EventRow[];
}
