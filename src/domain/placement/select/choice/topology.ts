import { domainOf, type SpreadConstraint } from '../../spec/spread.js';
import type { ClusterView } from '../../spec/cluster.js';

/** The clusters with one value of the key of a constraint. */
export interface Domain {
  /** No other domain of the constraint has this number. */
  readonly id: number;
  readonly value: string;
  /** How many of the clusters are selected. */
  count: number;
  /** The predicates for which clusters of the domain pass every rule. */
  readonly offers: Set<number>;
  /** Whether a cluster of the domain is selected, or can be. Only then the domain counts for the skew. */
  exists: boolean;
}

/** The domains of one constraint. */
export class Topology {
  readonly constraint: SpreadConstraint;
  readonly #hasRoom: (predicate: number) => boolean;
  readonly #domains = new Map<string, Domain>();
  /** For each count, how many of the existing domains have it. */
  readonly #domainsWith: number[] = [];
  /** How many domains exist. */
  #existing = 0;
  /** The lowest count of an existing domain. */
  #lowest = 0;

  /** `hasRoom`: whether the predicate may bring in one cluster more. */
  constructor(constraint: SpreadConstraint, hasRoom: (predicate: number) => boolean) {
    this.constraint = constraint;
    this.#hasRoom = hasRoom;
  }

  /** The domain of a cluster; undefined without the key. */
  domainOf(view: ClusterView): Domain | undefined {
    const value = domainOf(this.constraint, view);
    if (value === undefined) return undefined;
    const known = this.#domains.get(value);
    if (known !== undefined) return known;
    const domain: Domain = { id: this.#domains.size, value, count: 0, offers: new Set(), exists: false };
    this.#domains.set(value, domain);
    return domain;
  }

  /** Notes that a cluster of the domain passes every rule, and counts for this predicate. */
  offer(domain: Domain, predicate: number): void {
    if (domain.offers.has(predicate)) return;
    domain.offers.add(predicate);
    this.#recount(domain, 0);
  }

  /** Counts one cluster more, or one less, in the domain. */
  change(domain: Domain, by: 1 | -1): void {
    this.#recount(domain, by);
  }

  /** To be called when `hasRoom` has changed for a predicate. */
  roomChanged(): void {
    for (const domain of this.#domains.values()) this.#recount(domain, 0);
  }

  #recount(domain: Domain, by: -1 | 0 | 1): void {
    if (domain.exists) this.#countDomain(domain, -1);
    domain.count += by;
    domain.exists = domain.count > 0 || this.#canBeEntered(domain);
    if (domain.exists) this.#countDomain(domain, 1);
    if (domain.exists && domain.count < this.#lowest) this.#lowest = domain.count;
    while ((this.#domainsWith[this.#lowest] ?? 0) === 0 && this.#lowest < this.#domainsWith.length) this.#lowest++;
  }

  #countDomain({ count }: Domain, by: 1 | -1): void {
    this.#domainsWith[count] = (this.#domainsWith[count] ?? 0) + by;
    this.#existing += by;
  }

  #canBeEntered({ offers }: Domain): boolean {
    for (const predicate of offers) if (this.#hasRoom(predicate)) return true;
    return false;
  }

  /** The lowest count of any domain; 0 while there are fewer than `minDomains`. */
  get lowest(): number {
    return this.isBelowMinimum || this.#existing === 0 ? 0 : this.#lowest;
  }

  /** Whether there are fewer domains than `minDomains`. */
  get isBelowMinimum(): boolean {
    return this.#existing < (this.constraint.minDomains ?? 0);
  }

  /** How many clusters are selected beyond `maxSkew` above the lowest count, summed over all domains. */
  get excess(): number {
    const most = this.lowest + this.constraint.maxSkew;
    let excess = 0;
    for (let count = most + 1; count < this.#domainsWith.length; count++)
      excess += (this.#domainsWith[count] ?? 0) * (count - most);
    return excess;
  }

  /** The domains that exist, sorted by their values. */
  get domains(): readonly Domain[] {
    const existing = [...this.#domains.values()].filter(({ exists }) => exists);
    return existing.sort((a, b) => (a.value < b.value ? -1 : 1));
  }

  /** Whether the constraint keeps a cluster of this domain out. */
  blocks(domain: Domain | undefined): boolean {
    const { isStrict, maxSkew } = this.constraint;
    return isStrict && (domain === undefined || domain.count + 1 - this.lowest > maxSkew);
  }
}
