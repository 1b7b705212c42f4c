/**
 * Which clusters a Placement selects, read literally from the rules of scheduling: raw objects, a full pass over all clusters for
 * every single choice, plain numbers. It shares no code with the product and is slow on purpose.
 */

type Texts = Readonly<Record<string, string>>;

export interface ModelCluster {
  readonly name: string;
  readonly labels: Texts;
  readonly claims: Texts;
  readonly version?: string;
  readonly capacity?: Texts;
  readonly allocatable?: Texts;
  readonly nodes?: { readonly total: number; readonly ready: number };
  /** How many taints with effect PreferNoSelect it has. */
  readonly unpreferred: number;
  /** How many other Placements select it. */
  readonly others: number;
  /** `silent`: for so long that it leaves for any other cluster; `cordoned`: it stays where it is selected. */
  readonly state?: 'silent' | 'cordoned';
}

export interface ModelExpression {
  readonly key: string;
  readonly operator: string;
  readonly values?: readonly string[];
}

export interface ModelSelector {
  readonly labelSelector?: { readonly matchLabels?: Texts; readonly matchExpressions?: readonly ModelExpression[] };
  readonly claimSelector?: { readonly matchExpressions?: readonly ModelExpression[] };
}

export interface ModelValue {
  readonly name: string;
  readonly order?: 'Ascending' | 'Descending';
  readonly min?: string;
  readonly max?: string;
}

export interface ModelCoordinate {
  readonly type: string;
  readonly builtIn?: string;
  readonly claim?: ModelValue;
  readonly label?: ModelValue;
  readonly selector?: ModelSelector;
}

export interface ModelConstraint {
  readonly topologyKey: string;
  readonly topologyKeyType: 'Label' | 'Claim';
  readonly maxSkew?: number;
  readonly minDomains?: number;
  readonly whenUnsatisfiable?: 'DoNotSchedule' | 'ScheduleAnyway';
}

export interface ModelSpec {
  readonly numberOfClusters?: number;
  readonly predicates?: readonly {
    readonly requiredClusterSelector?: ModelSelector;
    readonly numberOfClusters?: number;
  }[];
  readonly prioritizerPolicy?: {
    readonly configurations?: readonly { readonly scoreCoordinate: ModelCoordinate; readonly weight?: number }[];
  };
  readonly spreadPolicy?: { readonly spreadConstraints?: readonly ModelConstraint[] };
}

/** What is decided: `placement` is `namespace/name`, `before` the clusters selected until now. */
export interface Question {
  readonly placement: string;
  readonly spec: ModelSpec;
  readonly clusters: readonly ModelCluster[];
  readonly before: readonly string[];
}

const VERSION = /^v(\d+)\.(\d+)(?:\.(\d+))?/;
const PLAIN_VERSION = /^v\d+\.\d+(\.\d+)?$/;
const SUFFIXES: Readonly<Record<string, number>> = {
  '': 1,
  m: 1e-3,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
};

function quantity(text: string | undefined): number | undefined {
  const [, digits, suffix = ''] = /^([+-]?\d+(?:\.\d+)?)(m|k|M|G|Ki|Mi|Gi)?$/.exec(text ?? '') ?? [];
  // In thousandths: whole numbers compare exactly.
  return digits === undefined ? undefined : Math.round(Number(digits) * 1_000 * (SUFFIXES[suffix] ?? NaN));
}

/** The names of facts: claims of these names that somebody publishes are ignored. */
const FACT = /^(cluster-name|kubernetes-version|(capacity|allocatable)\/.*|nodes\/(total|ready))$/;

/** All claims: published ones, and the facts of the status. */
export function claimsOf(cluster: ModelCluster): Texts {
  const facts: Record<string, string> = { 'cluster-name': cluster.name };
  if (cluster.version !== undefined) facts['kubernetes-version'] = cluster.version;
  for (const [key, value] of Object.entries(cluster.capacity ?? {})) facts[`capacity/${key}`] = value;
  for (const [key, value] of Object.entries(cluster.allocatable ?? {})) facts[`allocatable/${key}`] = value;
  if (cluster.nodes !== undefined) {
    facts['nodes/total'] = String(cluster.nodes.total);
    facts['nodes/ready'] = String(cluster.nodes.ready);
  }
  const published = Object.entries(cluster.claims).filter(([name]) => !FACT.test(name));
  return { ...Object.fromEntries(published), ...facts };
}

function own(texts: Texts, key: string): string | undefined {
  return Object.hasOwn(texts, key) ? texts[key] : undefined;
}

function compared(found: string | undefined, wanted: string): number | undefined {
  if (PLAIN_VERSION.test(wanted)) {
    const [have, want] = [VERSION.exec(found ?? ''), VERSION.exec(wanted)];
    if (have === null || want === null) return undefined;
    for (const at of [1, 2, 3]) {
      const difference = Number(have[at] ?? 0) - Number(want[at] ?? 0);
      if (difference !== 0) return difference;
    }
    return 0;
  }
  const [have, want] = [quantity(found), quantity(wanted)];
  return have === undefined || want === undefined ? undefined : have - want;
}

function holds(texts: Texts, { key, operator, values = [] }: ModelExpression): boolean {
  const found = own(texts, key);
  const difference = compared(found, values[0] ?? '');
  if (operator === 'In') return found !== undefined && values.includes(found);
  if (operator === 'NotIn') return found === undefined || !values.includes(found);
  if (operator === 'Exists') return found !== undefined;
  if (operator === 'DoesNotExist') return found === undefined;
  if (difference === undefined) return false;
  if (operator === 'Gt') return difference > 0;
  if (operator === 'Ge') return difference >= 0;
  if (operator === 'Lt') return difference < 0;
  if (operator === 'Le') return difference <= 0;
  throw new Error(`unknown operator ${operator}`);
}

function meets(cluster: ModelCluster, { labelSelector = {}, claimSelector = {} }: ModelSelector): boolean {
  return (
    Object.entries(labelSelector.matchLabels ?? {}).every(([key, value]) => own(cluster.labels, key) === value) &&
    (labelSelector.matchExpressions ?? []).every((one) => holds(cluster.labels, one)) &&
    (claimSelector.matchExpressions ?? []).every((one) => holds(claimsOf(cluster), one))
  );
}

/** The first predicate that the cluster matches; -1 for none, 0 where there are no predicates. */
export function predicateOf(spec: ModelSpec, cluster: ModelCluster): number {
  const predicates = spec.predicates ?? [];
  if (predicates.length === 0) return 0;
  return predicates.findIndex((one) => meets(cluster, one.requiredClusterSelector ?? {}));
}

/** Hundredths of a score of 0 to 100. */
function linear(value: number, from: number, to: number): number {
  const part = Math.min(Math.max((value - from) / (to - from), 0), 1);
  return Math.round(part * 10_000);
}

function valueScore(
  value: ModelValue,
  texts: (one: ModelCluster) => Texts,
  one: ModelCluster,
  all: ModelCluster[],
): number {
  const found = quantity(own(texts(one), value.name));
  if (found === undefined) return 0;
  const known = all.map((each) => quantity(own(texts(each), value.name))).filter((each) => each !== undefined);
  const [from, to] =
    value.min !== undefined && value.max !== undefined
      ? [quantity(value.min) ?? NaN, quantity(value.max) ?? NaN]
      : [Math.min(...known), Math.max(...known)];
  if (from === to) return 10_000;
  return value.order === 'Ascending' ? 10_000 - linear(found, from, to) : linear(found, from, to);
}

function coordinateScore(of: ModelCoordinate, one: ModelCluster, all: ModelCluster[], spec: ModelSpec): number {
  if (of.type === 'Claim' && of.claim !== undefined) return valueScore(of.claim, claimsOf, one, all);
  if (of.type === 'Label' && of.label !== undefined) return valueScore(of.label, ({ labels }) => labels, one, all);
  if (of.type === 'Selector') return meets(one, of.selector ?? {}) ? 10_000 : 0;
  if (of.builtIn === 'Balance') {
    const most = Math.max(...all.map(({ others }) => others));
    return most === 0 ? 10_000 : 10_000 - Math.round((one.others / most) * 10_000);
  }
  if (of.builtIn === 'PredicateOrder') {
    const last = (spec.predicates ?? []).length - 1;
    return last <= 0 ? 10_000 : 10_000 - Math.round((predicateOf(spec, one) / last) * 10_000);
  }
  const resource = of.builtIn === 'ResourceAllocatableCPU' ? 'cpu' : 'memory';
  return valueScore({ name: `allocatable/${resource}` }, claimsOf, one, all);
}

/** The score of a cluster among all that match, in hundredths. */
export function scoreByTheBook(spec: ModelSpec, one: ModelCluster, all: ModelCluster[]): number {
  return (spec.prioritizerPolicy?.configurations ?? []).reduce(
    (sum, { scoreCoordinate, weight = 1 }) =>
      sum + (weight === 0 ? 0 : weight * coordinateScore(scoreCoordinate, one, all, spec)),
    0,
  );
}

/** The rank of a cluster for a Placement: FNV-1a of both names, mixed. */
export function hashByTheBook(placement: string, name: string): bigint {
  const u32 = (value: bigint): bigint => BigInt.asUintN(32, value);
  const fnv = (text: string): bigint =>
    [...Buffer.from(text)].reduce(
      (hash, byte) => BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n),
      0xcbf29ce484222325n,
    );
  const mix = (value: bigint): bigint => {
    const first = u32((value ^ (value >> 16n)) * 0x85ebca6bn);
    const second = u32((first ^ (first >> 13n)) * 0xc2b2ae35n);
    return second ^ (second >> 16n);
  };
  const seed = fnv(placement);
  const of = fnv(name);
  return mix(u32(mix((of >> 32n) ^ u32(of) ^ u32(seed)) + (seed >> 32n)));
}

function domainOf({ topologyKey, topologyKeyType }: ModelConstraint, cluster: ModelCluster): string | undefined {
  return own(topologyKeyType === 'Label' ? cluster.labels : claimsOf(cluster), topologyKey);
}

/** Undefined for a silent cluster, too: it is to be replaced, and counts nowhere. */
export function servingDomainOf(constraint: ModelConstraint, cluster: ModelCluster): string | undefined {
  return cluster.state === 'silent' ? undefined : domainOf(constraint, cluster);
}

/** The state of a decision while it is made. */
export class Choosing {
  readonly spec: ModelSpec;
  /** All clusters that pass every rule. */
  readonly matching: ModelCluster[];
  selected: ModelCluster[];
  readonly #placement: string;
  readonly #score: ReadonlyMap<ModelCluster, number>;
  readonly #hashes = new Map<ModelCluster, bigint>();

  constructor({ placement, spec, clusters, before }: Question) {
    this.spec = spec;
    this.#placement = placement;
    this.matching = clusters.filter((one) => predicateOf(spec, one) >= 0);
    this.selected = this.matching.filter(({ name }) => before.includes(name));
    this.#score = new Map(this.matching.map((one) => [one, scoreByTheBook(spec, one, this.matching)]));
  }

  get constraints(): readonly ModelConstraint[] {
    return this.spec.spreadPolicy?.spreadConstraints ?? [];
  }

  score(one: ModelCluster): number {
    return this.#score.get(one) ?? 0;
  }

  /** How many clusters are wanted. */
  get wanted(): number {
    const numbers = (this.spec.predicates ?? []).map(({ numberOfClusters }) => numberOfClusters);
    const sum = numbers.some((one) => one !== undefined)
      ? numbers.reduce<number>((all, one) => all + (one ?? 0), 0)
      : Infinity;
    return this.spec.numberOfClusters ?? sum;
  }

  /** The clusters that could come in: a new one must not have these taints. */
  get selectable(): readonly ModelCluster[] {
    return this.matching.filter(({ state }) => state === undefined);
  }

  /** How many selected clusters a domain has, without silent ones; undefined without the key. */
  count(constraint: ModelConstraint, cluster: ModelCluster, selected = this.selected): number | undefined {
    const domain = servingDomainOf(constraint, cluster);
    if (domain === undefined) return undefined;
    return selected.filter((one) => servingDomainOf(constraint, one) === domain).length;
  }

  /**
   * The lowest count of any domain: of a selected cluster, such as one that waits to leave, or of one that can come in as far as
   * the number of its predicate goes. A silent one makes none. `before`: what is selected when a cluster comes in.
   */
  lowest(constraint: ModelConstraint, selected = this.selected, before = selected): number {
    const having = [...this.selectable.filter((one) => this.hasPlace(one, before)), ...selected];
    const domains = new Set(having.map((one) => servingDomainOf(constraint, one)).filter((one) => one !== undefined));
    if (domains.size < (constraint.minDomains ?? 0) || domains.size === 0) return 0;
    return Math.min(
      ...[...domains].map((domain) => selected.filter((one) => servingDomainOf(constraint, one) === domain).length),
    );
  }

  /** By how much the domain of the cluster is above the lowest, more than allowed. */
  excess(constraint: ModelConstraint, cluster: ModelCluster, selected = this.selected, before = selected): number {
    const count = this.count(constraint, cluster, selected);
    const lowest = this.lowest(constraint, selected, before);
    return count === undefined ? Infinity : count - lowest - (constraint.maxSkew ?? 1);
  }

  /** Whether the number of its predicate and every constraint allow the cluster to come in. */
  allows(cluster: ModelCluster): boolean {
    return this.hasPlace(cluster) && this.blockedBy(cluster).length === 0;
  }

  hasPlace(cluster: ModelCluster, selected: readonly ModelCluster[] = this.selected): boolean {
    const index = predicateOf(this.spec, cluster);
    const number = this.spec.predicates?.[index]?.numberOfClusters ?? Infinity;
    return selected.filter((one) => predicateOf(this.spec, one) === index).length < number;
  }

  blockedBy(cluster: ModelCluster): readonly ModelConstraint[] {
    const then = [...this.selected, cluster];
    return this.constraints.filter(
      // Who takes the last place of a predicate closes no domain for itself.
      (one) => one.whenUnsatisfiable === 'DoNotSchedule' && this.excess(one, cluster, then, this.selected) > 0,
    );
  }

  /** Negative when `a` stands before `b`: of new clusters taints are counted, of selected ones it counts whether there are any. */
  compare(a: ModelCluster, b: ModelCluster, most = Infinity): number {
    const tier = ({ state, unpreferred }: ModelCluster): number =>
      state === 'silent' ? 1e9 : Math.min(unpreferred + (state === 'cordoned' ? 1 : 0), most);
    const differences = [tier(a) - tier(b)];
    for (const one of this.constraints) {
      const [first, second] = [this.count(one, a) ?? 1e9, this.count(one, b) ?? 1e9];
      differences.push(first - second);
    }
    const [first, second] = [this.#hash(a), this.#hash(b)];
    differences.push(this.score(b) - this.score(a), first === second ? 0 : second > first ? 1 : -1);
    return differences.find((one) => one !== 0) ?? (a.name < b.name ? -1 : 1);
  }

  #hash(one: ModelCluster): bigint {
    const hash = this.#hashes.get(one) ?? hashByTheBook(this.#placement, one.name);
    this.#hashes.set(one, hash);
    return hash;
  }

  /** Takes the best cluster in that may come in, one after the other, until there are `most`. */
  fill(most: number, mayCome: (one: ModelCluster) => boolean = () => true): void {
    while (this.selected.length < most) {
      const free = this.selectable.filter((one) => !this.selected.includes(one) && mayCome(one) && this.allows(one));
      const [best] = free.sort((a, b) => this.compare(a, b));
      if (best === undefined) return;
      this.selected = [...this.selected, best];
    }
  }

  remove(one: ModelCluster): void {
    this.selected = this.selected.filter((each) => each !== one);
  }

  /** Removes the cluster of `among` that stands lowest. */
  removeLowest(among: readonly ModelCluster[]): void {
    const [lowest] = [...among].sort((a, b) => this.compare(b, a, 1));
    if (lowest !== undefined) this.remove(lowest);
  }
}

/**
 * Fills up what is missing of `most`: others come in as if the silent clusters that match were not there, which then stay in the
 * places that are left, the best first. So a decision never gets smaller by them. `stays`: whether one that nobody replaces does.
 */
export function fillAndReplace(
  state: Choosing,
  most: number,
  mayCome?: (one: ModelCluster) => boolean,
  stays = (one: ModelCluster): boolean => state.hasPlace(one),
): void {
  const silent = state.selected.filter((one) => one.state === 'silent' && state.matching.includes(one));
  state.selected = state.selected.filter((one) => !silent.includes(one));
  state.fill(most, mayCome);
  for (const one of silent.sort((a, b) => state.compare(a, b)))
    if (state.selected.length < most && stays(one)) state.selected = [...state.selected, one];
}

/** The names of the clusters that are selected then, sorted. */
export function chooseByTheBook(question: Question): readonly string[] {
  const state = new Choosing(question);
  (question.spec.predicates ?? []).forEach(({ numberOfClusters = Infinity }, index) => {
    const counted = (): ModelCluster[] => state.selected.filter((one) => predicateOf(question.spec, one) === index);
    while (counted().length > numberOfClusters) state.removeLowest(counted());
  });
  while (state.selected.length > state.wanted) state.removeLowest(state.selected);
  fillAndReplace(state, state.wanted, ({ name }) => !question.before.includes(name));
  return state.selected.map(({ name }) => name).sort();
}
