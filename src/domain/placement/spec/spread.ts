import {
  checkLabelKey,
  readList,
  readObject,
  readOneOf,
  readString,
  readWhole,
  reject,
  valueOf,
} from '../../selectors.js';
import type { ClusterView } from './cluster.js';

/** A claim or label whose values are domains. */
export interface TopologyKey {
  readonly source: 'claim' | 'label';
  readonly key: string;
}

/** One constraint of `spec.spreadPolicy`: over the values of a claim or a label, the domains. */
export interface SpreadConstraint extends TopologyKey {
  readonly maxSkew: number;
  /** Undefined: any number of domains is enough. */
  readonly minDomains: number | undefined;
  /** `DoNotSchedule`: a cluster that would make the domains differ by more than `maxSkew` does not come in. */
  readonly isStrict: boolean;
}

const MOST_CONSTRAINTS = 8;
const LARGEST = 2 ** 31 - 1;

/** The constraints inside a `parse`; none when the policy is absent. `wanted`: numberOfClusters, undefined for all. */
export function readSpread(value: unknown, path: string, wanted: number | undefined): readonly SpreadConstraint[] {
  const at = `${path}.spreadConstraints`;
  const items = readList(readObject(value, path)['spreadConstraints'], at, MOST_CONSTRAINTS);
  const constraints = items.map((item, index) =>
    readConstraint(readObject(item, `${at}[${index}]`), `${at}[${index}]`),
  );
  const names = constraints.map(({ source, key }) => `${source} ${key}`);
  names.forEach((name, index) => {
    if (names.indexOf(name) !== index) reject(`${at}[${index}]`, `${name} has a constraint before: keys must differ`);
  });
  if (constraints.length > 0 && wanted === undefined)
    reject(path, 'needs a number of clusters: set spec.numberOfClusters, or numberOfClusters of every predicate');
  return constraints;
}

function readConstraint(item: Readonly<Record<string, unknown>>, path: string): SpreadConstraint {
  const key = readString(item['topologyKey'], `${path}.topologyKey`);
  if (key === '') reject(`${path}.topologyKey`, 'is empty: the name of a claim or label is needed');
  const source = readOneOf(item['topologyKeyType'], ['Claim', 'Label'], `${path}.topologyKeyType`);
  if (source === 'Label') checkLabelKey(key, `${path}.topologyKey`);
  const mode = item['whenUnsatisfiable'] ?? 'ScheduleAnyway';
  const isStrict =
    readOneOf(mode, ['DoNotSchedule', 'ScheduleAnyway'], `${path}.whenUnsatisfiable`) === 'DoNotSchedule';
  const minDomains = readWhole(item['minDomains'], `${path}.minDomains`, 1, LARGEST);
  if (minDomains !== undefined && !isStrict)
    reject(`${path}.minDomains`, `${minDomains} needs whenUnsatisfiable: DoNotSchedule, not ScheduleAnyway`);
  const maxSkew = readWhole(item['maxSkew'], `${path}.maxSkew`, 1, LARGEST) ?? 1;
  return { source: source === 'Claim' ? 'claim' : 'label', key, maxSkew, minDomains, isStrict };
}

/** The domain of a cluster; undefined without the key. */
export function domainOf({ source, key }: TopologyKey, { labels, claims }: ClusterView): string | undefined {
  return valueOf(source === 'label' ? labels : claims, key);
}
