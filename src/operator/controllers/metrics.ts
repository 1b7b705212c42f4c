/** Interfaces through which controllers record what concerns their kinds; `operator/metrics.ts` implements them. Times in seconds. */

/** One engine; `phase` as in its status. */
export interface EngineInfo {
  readonly name: string;
  readonly version: string;
  readonly phase: string;
  readonly targetNamespace: string;
}

export interface EngineMetrics {
  /** Replaces what was recorded of the engine with this name. */
  engine(info: EngineInfo): void;
  engineGone(name: string): void;
}

/** One placement; `phase` as in its status, `clusters`: their number in its decision, `held`: those that are held or wait, in it or out of it. */
export interface PlacementInfo {
  readonly namespace: string;
  readonly name: string;
  readonly phase: string;
  readonly clusters: number;
  readonly held: number;
}

export interface PlacementMetrics {
  /** Replaces what was recorded of the placement with this name. */
  placement(info: PlacementInfo): void;
  placementGone(namespace: string, name: string): void;
  /** A decision was published, this long after the change that caused it was observed. */
  decided(seconds: number): void;
}

/** The fleet as one process observes it. */
export interface FleetCounts {
  /** Clusters with an agent, by `available`, `unavailable`, `unknown` and `never-joined`. */
  readonly clusters: Readonly<Record<string, number>>;
  /** Clusters with a taint NoSelect of the hub, by its key. */
  readonly taints: Readonly<Record<string, number>>;
  /** Scopes whose clusters the brake keeps from taints, by `fleet` and `set`. */
  readonly braked: Readonly<Record<string, number>>;
  /** Whether the observation of the Leases is stale: renewals may have been missed. */
  readonly stale: boolean;
}

export interface FleetMetrics {
  /** Sets the function that returns the counts; it is called at each scrape. */
  fleet(read: () => FleetCounts): void;
}
