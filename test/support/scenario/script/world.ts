/** What the script has made of the fleet and its placements, as plain values: one world a step. */

export interface Requirement {
  readonly key: string;
  readonly operator: string;
  readonly values?: readonly string[];
}

export interface LabelSelector {
  readonly matchLabels?: Readonly<Record<string, string>>;
  readonly matchExpressions?: readonly Requirement[];
}

export interface Predicate {
  readonly labelSelector?: LabelSelector;
  readonly claims?: readonly Requirement[];
}

export interface Cluster {
  readonly labels: Readonly<Record<string, string>>;
  readonly claims: Readonly<Record<string, string>>;
  /** Deleted, but held by a finalizer. */
  readonly deleting: boolean;
  /** Counts the status reports that change no field that matters. */
  readonly heartbeat: number;
}

export interface ClusterSet {
  /** Absent: the exclusive label. */
  readonly selector?: LabelSelector;
}

export interface Placement {
  readonly sets: readonly string[];
  /** Absent: all that match. */
  readonly count?: number;
  readonly predicates: readonly Predicate[];
}

/** Bindings and placements by `namespace/name`; a binding's value is the set that it names. */
export interface World {
  readonly clusters: ReadonlyMap<string, Cluster>;
  readonly sets: ReadonlyMap<string, ClusterSet>;
  readonly bindings: ReadonlyMap<string, string>;
  readonly placements: ReadonlyMap<string, Placement>;
}

/** One change by a user: the object's new content, or absent for its deletion. A held cluster keeps its finalizer. */
export type Write =
  | { readonly kind: 'cluster'; readonly name: string; readonly to?: Cluster }
  | { readonly kind: 'set'; readonly name: string; readonly to?: ClusterSet }
  | { readonly kind: 'binding'; readonly name: string; readonly to?: string }
  | { readonly kind: 'placement'; readonly name: string; readonly to?: Placement };

export const EMPTY: World = { clusters: new Map(), sets: new Map(), bindings: new Map(), placements: new Map() };

/** The world after `writes`, in order. */
export function after(world: World, writes: readonly Write[]): World {
  const next = {
    clusters: new Map(world.clusters),
    sets: new Map(world.sets),
    bindings: new Map(world.bindings),
    placements: new Map(world.placements),
  };
  for (const write of writes) {
    if (write.kind === 'cluster') put(next.clusters, write.name, write.to);
    else if (write.kind === 'set') put(next.sets, write.name, write.to);
    else if (write.kind === 'binding') put(next.bindings, write.name, write.to);
    else put(next.placements, write.name, write.to);
  }
  return next;
}

function put<T>(map: Map<string, T>, name: string, to: T | undefined): void {
  if (to === undefined) map.delete(name);
  else map.set(name, to);
}

/** `namespace/name` of a placement or a binding, apart. */
export function parts(key: string): { readonly namespace: string; readonly name: string } {
  const slash = key.indexOf('/');
  return { namespace: key.slice(0, slash), name: key.slice(slash + 1) };
}
