import type { Condition } from './placement.js';
import type { Health } from './fleet.js';

/** One cluster, and what happens when it goes. */

export interface ClusterSelection {
  readonly namespace: string;
  readonly placement: string;
  readonly verdict: string;
  /** From 1, in the order of the Placement, as `explain` has it; absent for a cluster that leaves, and where it is not known. */
  readonly rank?: number;
  readonly why: string;
  /** What the Placement selects without the cluster. */
  readonly without: string;
}

/** A Placement that matches the cluster and does not hold it. */
export interface ClusterCandidacy {
  readonly namespace: string;
  readonly placement: string;
  readonly verdict: string;
  /** From 1, the selected ones first; absent where it fails a rule. */
  readonly rank?: number;
  readonly why: string;
}

export interface ClusterView {
  readonly name: string;
  readonly health: Health;
  readonly since?: string;
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
  readonly selectedBy: readonly ClusterSelection[];
  readonly matchedBy: readonly ClusterCandidacy[];
  /** How many Placements could be read. */
  readonly placements: number;
  readonly deleting: boolean;
}

export interface DrainRow {
  readonly namespace: string;
  readonly placement: string;
  readonly effect: string;
  readonly text: string;
}

export interface DrainPreview {
  readonly rows: readonly DrainRow[];
}

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

export interface SetMember {
  readonly name: string;
  readonly health: Health;
  readonly since?: string;
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
