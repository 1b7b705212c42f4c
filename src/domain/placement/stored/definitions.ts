/** The uids of the definitions of clusters, sets and bindings, by the names of these resources. */
export type Definitions = Readonly<Record<string, string>>;

/** The definitions as they are now. */
export interface DefinitionsNow {
  readonly uids: Definitions;
  /** Whether one of them is not older than the oldest object of the decision. */
  readonly newerThanDecision: boolean;
  /** In how many ms all caches are sure to have been listed with them; 0 when they are. */
  readonly trustedInMs: number;
}
