import type { Condition, EngineSummary } from '../../answers/status.js';

/** Cluster sets and engines. */

export interface ClusterSetRow {
  readonly name: string;
  /** What makes a cluster a member. */
  readonly selector: string;
  readonly deleting: boolean;
  /** How many members it has, in all. */
  readonly clusters: number;
  /** Who may select from it, by namespace and name. */
  readonly bindings: readonly SetBinding[];
}

export interface SetBinding {
  readonly namespace: string;
  readonly name: string;
  /** Why no Placement of the namespace selects by it; absent where they may. */
  readonly ignored?: string;
}

export interface EngineView {
  readonly engines: readonly Engine[];
  readonly sets: readonly ClusterSetRow[];
}

export interface Engine extends Pick<EngineSummary, 'name' | 'phase' | 'version' | 'message'> {
  readonly paused: boolean;
  readonly conditions: readonly Condition[];
  readonly components: readonly Component[];
}

/** As the status of the engine has it; a text that is not there is empty. */
export type Component = Readonly<Record<'kind' | 'name' | 'namespace' | 'status' | 'reason' | 'message', string>>;
