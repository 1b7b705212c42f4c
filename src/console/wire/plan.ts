import type { Action, ActionText } from '../../answers/actions/action.js';
import type { ChangeList, PlannedCluster as ClusterText } from '../../answers/plan/text.js';
import type { PlanDocument, PlannedPlacement } from '../../answers/plan/document.js';
import type { TroubledHealth } from './placement.js';

/** What a draft would do, and what applying it has done. */

/** A draft: manifests as text, and changes of single clusters. */
export interface Draft {
  /** YAML documents; may be empty. */
  readonly manifests: string;
  /** `NAME:KEY=VALUE`, or `NAME:KEY-`. */
  readonly labels: readonly string[];
  /** Clusters to drain. */
  readonly drains: readonly string[];
  /** What is lost once the changes are made, as `plan --lose` takes it; a word alone is a cluster. */
  readonly losses: readonly string[];
  /** `label/KEY` or `claim/KEY`: what the loss of each of its values does, as `plan --lose-each` says. One, and not beside `losses`. */
  readonly each: readonly string[];
  /** An action instead of all others. */
  readonly action?: Action;
}

export type PlannedCluster = ClusterText & TroubledHealth;

/** A list of a plan, of which some clusters are named. */
export interface PlannedClusters {
  readonly sign: ChangeList['sign'];
  readonly rows: readonly PlannedCluster[];
  /** How many there are; never none. */
  readonly total: number;
}

/** A part of one of these lists. */
export interface PlannedPart {
  /** How many of its clusters can be asked for: of a very large plan not all. */
  readonly listed: number;
  readonly rows: readonly PlannedCluster[];
}

/** A Placement of the plan, of whose clusters some are named. */
export interface CutPlacement extends Pick<
  PlannedPlacement,
  'namespace' | 'name' | 'change' | 'before' | 'after' | 'apart' | 'loss'
> {
  readonly stay: number;
  readonly lists: readonly PlannedClusters[];
}

/** The plan that the commands print, and what belongs to a draft. */
export interface Plan extends Pick<PlanDocument, 'refusals' | 'apartComputed'> {
  /** Where the draft is an action. */
  readonly action?: ActionText;
  /** What changes, in one sentence; of a loss, the Placements that it leaves short. Absent where the loss of each value is all that is asked for. */
  readonly headline?: string;
  /** The counts of all Placements together, those included that stay as they are; absent for a loss, and where they are not known. */
  readonly totals?: string;
  readonly placements: readonly CutPlacement[];
  /** For a loss of clusters: what follows only if the hub notices it; may be empty. */
  readonly loss?: string;
  /** What `plan --lose-each` says. */
  readonly lossOfEach?: Heat;
  /** The objects that the draft changes, as they are now, and their fields that stay though the draft does not have them. */
  readonly replaced: readonly { readonly name: string; readonly live: string; readonly kept: readonly string[] }[];
  /** What applying it writes, `KIND NAME`: what the hub does not have so already. */
  readonly writes: readonly string[];
  /** Why the console does not apply it. */
  readonly notApplied?: string;
  /** Changes with the outcome, and with what is replaced: `apply` sends it back. */
  readonly basedOn: string;
}

/** The loss of each value of a key: a row for each Placement that is hurt, a column for each value, the worst first. */
export interface Heat {
  /** `label/region`, as `--lose-each` takes it. */
  readonly key: string;
  readonly columns: readonly HeatColumn[];
  readonly rows: readonly HeatRow[];
  /** How many there are of each; some are sent. */
  readonly columnsTotal: number;
  readonly rowsTotal: number;
  /** What the table does not say. */
  readonly notes: readonly string[];
}

export interface HeatColumn {
  readonly value: string;
  /** As `--lose` takes it. */
  readonly target: string;
  readonly clusters: number;
}

export interface HeatRow extends Pick<PlannedPlacement, 'namespace' | 'name'> {
  /** For each column; null where the loss does nothing to the Placement. */
  readonly cells: readonly (HeatCell | null)[];
}

export interface HeatCell {
  readonly effect: 'Moves' | 'Short' | 'Empty';
  readonly before: number;
  readonly after: number;
}

/** Why a draft has no plan. */
export interface PlanFault {
  readonly fault: string;
  /** The line of the manifests that it is about, from 1. */
  readonly line?: number;
}

export type PlanAnswer = Plan | PlanFault;

export interface ApplyRequest {
  readonly draft: Draft;
  readonly basedOn: string;
  readonly dryRun: boolean;
}

export type ApplyAnswer =
  | {
      readonly kind: 'accepted';
      readonly objects: readonly string[];
      /** What an action has done: until when it releases is known now. */
      readonly done?: string;
    }
  /** The hub has changed since the plan: it has to be looked at again. */
  | { readonly kind: 'moved' }
  | {
      readonly kind: 'refused';
      readonly object: string;
      readonly message: string;
      /** What was written before the refusal, and stays so. */
      readonly written: readonly string[];
    };
