import { domainOf, type SpreadConstraint } from '../../spec/spread.js';
import type { ClusterView } from '../../spec/cluster.js';

/** A value of the key of a constraint, and how many selected clusters have it. */
export interface Domain {
  /** Unlike that of any other domain of the constraint. */
  readonly id: number;
  readonly value: string;
  count: number;
}

/** The domains of one constraint. */
export class Topology {
  readonly constraint: SpreadConstraint;
  readonly #domains = new Map<string, Domain>();
  /** How many domains have each count. */
  readonly #sizes: number[] = [];
  #lowest = 0;

  constructor(constraint: SpreadConstraint) {
    this.constraint = constraint;
  }

  /** The domain of a cluster, which is one from now on; undefined without the key. */
  domainOf(view: ClusterView): Domain | undefined {
    const value = domainOf(this.constraint, view);
    if (value === undefined) return undefined;
    const known = this.#domains.get(value);
    if (known !== undefined) return known;
    const domain = { id: this.#domains.size, value, count: 0 };
    this.#domains.set(value, domain);
    this.#sizes[0] = (this.#sizes[0] ?? 0) + 1;
    this.#lowest = 0;
    return domain;
  }

  /** Counts one cluster more, or one less, in the domain. */
  change(domain: Domain, by: 1 | -1): void {
    this.#sizes[domain.count] = (this.#sizes[domain.count] ?? 0) - 1;
    domain.count += by;
    this.#sizes[domain.count] = (this.#sizes[domain.count] ?? 0) + 1;
    if (domain.count < this.#lowest) this.#lowest = domain.count;
    while ((this.#sizes[this.#lowest] ?? 0) === 0) this.#lowest++;
  }

  /** The lowest count of any domain; 0 while there are fewer than `minDomains`. */
  get lowest(): number {
    return this.isBelowMinimum ? 0 : this.#lowest;
  }

  /** Whether there are fewer domains than `minDomains`. */
  get isBelowMinimum(): boolean {
    return this.#domains.size < (this.constraint.minDomains ?? 0);
  }

  /** How many selected clusters are more than `maxSkew` above the lowest count. */
  get excess(): number {
    const most = this.lowest + this.constraint.maxSkew;
    let excess = 0;
    for (let count = most + 1; count < this.#sizes.length; count++)
      excess += (this.#sizes[count] ?? 0) * (count - most);
    return excess;
  }

  /** The domains, sorted by their values. */
  get domains(): readonly Domain[] {
    return [...this.#domains.values()].sort((a, b) => (a.value < b.value ? -1 : 1));
  }

  /** Whether the constraint keeps a cluster of this domain out. */
  blocks(domain: Domain | undefined): boolean {
    const { isStrict, maxSkew } = this.constraint;
    return isStrict && (domain === undefined || domain.count + 1 - this.lowest > maxSkew);
  }
}
