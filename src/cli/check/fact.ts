/** What was read, or what could not be. */
export type Fact<T> = { readonly kind: 'Known'; readonly value: T } | UnreadFact;

export interface UnreadFact {
  readonly kind: 'Withheld';
  /** Plural name of the resource. */
  readonly resource: string;
  readonly verb: 'get' | 'list' | 'create';
  /** HTTP code of the response. */
  readonly status: number;
}
