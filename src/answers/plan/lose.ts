import { meantText, meantWords } from '@multicluster-engine/values/nearestword';
import { ManagedClusters, ManagedClusterSets } from '../../api/resources.js';
import type { TopologyKey } from '../../domain/placement/spec/spread.js';
import { otherSource } from '../../domain/placement/select/unmatched.js';
import { topologyText } from '../../domain/placement/explain/choicetext.js';
import { wordText } from '../../domain/placement/explain/requirementtext.js';
import { inputsOf } from '../world/once.js';
import type { World, WorldResource } from '../world/world.js';
import { meantAmong } from '../meant.js';
import { NotFoundError } from '../output.js';
import { findKind } from '../kinds.js';
import { ChangeTextError } from './changes.js';

/** The clusters that `--lose` and `--lose-each` take away, from the text of the flags. */

type LossTarget =
  | (TopologyKey & { readonly kind: 'value'; readonly value: string })
  | { readonly kind: 'object'; readonly resource: 'managedclusters' | 'managedclustersets'; readonly name: string };

const TARGETS = 'claim/KEY=VALUE, label/KEY=VALUE, mclset/NAME or mcl/NAME';

/** `claim/KEY` or `label/KEY`. @throws ChangeTextError. */
export function lossKey(text: string): TopologyKey {
  const [source, key = ''] = split(text, '/');
  if (!isSource(source) || key === '')
    throw new ChangeTextError(`--lose-each must be claim/KEY or label/KEY, got ${JSON.stringify(text)}`);
  return { source, key };
}

/** `claim region=eu`. */
function valueText(key: TopologyKey, value: string): string {
  return `${topologyText(key)}=${wordText(value)}`;
}

/**
 * The clusters that are lost by these texts, and why each is. @throws ChangeTextError for one that cannot be read,
 * NotFoundError for what no cluster has, in a collection that could be read.
 */
export function lostBy(world: World, texts: readonly string[]): ReadonlyMap<string, string> {
  if (texts.length === 0) return new Map();
  const why = new Map<string, string>();
  for (const target of texts.map(lossTarget)) {
    const { names, what } = clustersOf(target, world);
    for (const name of names) if (!why.has(name)) why.set(name, what === undefined ? 'lost' : `lost with ${what}`);
  }
  return why;
}

/** The value of each cluster that has the key. @throws NotFoundError where no cluster has it. */
export function valuesOf(world: World, key: TopologyKey): ReadonlyMap<string, string> {
  const values = new Map<string, string>();
  for (const [name, value] of inputsOf(world).clusters.values(key.source, key.key))
    if (value !== undefined) values.set(name, value);
  if (values.size === 0 && isRead(world, 'managedclusters')) throw unknownKey(world, key);
  return values;
}

function lossTarget(text: string): LossTarget {
  const [kind, rest = ''] = split(text, '/');
  if (isSource(kind)) {
    const [key, value] = split(rest, '=');
    if (key !== '' && value !== undefined) return { kind: 'value', source: kind, key, value };
  } else if (rest !== '') {
    const resource = findKind(kind)?.resource;
    if (resource === 'managedclusters' || resource === 'managedclustersets')
      return { kind: 'object', resource, name: rest };
  }
  throw new ChangeTextError(`--lose must be ${TARGETS}, got ${JSON.stringify(text)}`);
}

interface Found {
  readonly names: Iterable<string>;
  /** Undefined for a cluster itself. */
  readonly what: string | undefined;
}

function clustersOf(target: LossTarget, world: World): Found {
  const inputs = inputsOf(world);
  if (target.kind === 'value') {
    const { value } = target;
    const all = valuesOf(world, target);
    const names = [...all].filter(([, one]) => one === value).map(([name]) => name);
    if (names.length === 0 && all.size > 0)
      throw new NotFoundError(`no ManagedCluster has ${valueText(target, value)}${meantText(value, all.values())}`);
    return { names, what: valueText(target, value) };
  }
  const { resource, name } = target;
  if (resource === 'managedclusters') {
    if (inputs.cluster(name) === undefined) checkMissing(world, resource, name);
    return { names: [name], what: undefined };
  }
  const selector = inputs.selectorOf(name);
  if (selector === undefined) checkMissing(world, resource, name);
  const names = selector === undefined ? [] : inputs.clusters.membersOf(name, selector);
  return { names, what: `${ManagedClusterSets.kind} ${name}` };
}

/** What may not be read may exist. */
function checkMissing(world: World, resource: 'managedclusters' | 'managedclustersets', name: string): void {
  if (!isRead(world, resource)) return;
  const { kind } = resource === 'managedclusters' ? ManagedClusters : ManagedClusterSets;
  throw new NotFoundError(`${kind} ${name} was not found${meantAmong(world.objects[resource], undefined, name)}`);
}

/** The key of the other source comes first: that it exists is certain. */
function unknownKey(world: World, of: TopologyKey): NotFoundError {
  const { clusters } = inputsOf(world);
  const { source, key } = of;
  const other = otherSource(source);
  const isOther = [...clusters.values(other, key).values()].some((value) => value !== undefined);
  const near = (): string => meantText(key, clusters.keys(source));
  return new NotFoundError(
    `no ManagedCluster has ${topologyText(of)}${isOther ? meantWords([`${other}/${key}`]) : near()}`,
  );
}

function isRead({ withheld }: World, resource: WorldResource): boolean {
  return !withheld.some((one) => one.resource === resource);
}

function isSource(word: string): word is TopologyKey['source'] {
  return word === 'claim' || word === 'label';
}

/** What is before the first mark, and what is after it; undefined without one. */
function split(text: string, mark: string): readonly [string, string | undefined] {
  const at = text.indexOf(mark);
  return at < 0 ? [text, undefined] : [text.slice(0, at), text.slice(at + mark.length)];
}
