/** What this layer alone counts, as sinks; those that other layers share stand in src/runtime/metrics.ts. `resource` is `plural` or `plural.group`. */

export interface CacheMetrics {
  /** A list was read to its end. */
  listed(resource: string, objects: number, seconds: number): void;
  /** A list or watch has failed; `kind` of the failure. A watch that ends as agreed is none. */
  failed(resource: string, kind: string): void;
  /** A handler, transform or indexer threw: a programming error. */
  broken(resource: string): void;
}

export interface EventMetrics {
  /** What became of a recorded event: a new one, a repeat joined to a series, given up. */
  recorded(outcome: 'created' | 'joined' | 'dropped'): void;
}
