import { meantText, meantWords } from '@multicluster-engine/values/nearestword';
import { ManagedClusters, ManagedClusterSets } from '../../api/resources.js';
import type { TopologyKey } from '../../domain/placement/spec/spread.js';
import { otherSource } from '../../domain/placement/select/unmatched.js';
import { topologyText } from '../../domain/placement/explain/choicetext.js';
import { wordText } from '../../domain/placement/explain/requirementtext.js';
import { inputsOf, type World, type WorldResource, type WorldInputs } from '../world/world.js';
import { meantAmong, findKind } from '../meant.js';
import { NotFoundError } from '../output.js';
import { ChangeTextError } from './changes.js';
import { field } from '../../runtime/vocabulary/json.js';
import { SOURCE_ANNOTATION, TAINTS } from '../../api/names.js';
import { isSilentScope } from '../../domain/health/brake.js';
import { isHealthTaint, isNeverJoined } from '../../domain/health/taints.js';
import type { ClusterView } from '../../domain/placement/spec/cluster.js';
import type { Taint } from '../../domain/placement/spec/taint.js';
import type { PlacementSnapshot } from '../../domain/placement/select/snapshot.js';

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

/** The taint of the hub, for longer than any time for which it is tolerated. */
const SILENT: Taint = { key: TAINTS.unreachable, value: '', effect: 'NoSelect', since: -Infinity };

/** How silent clusters are, by name. */
export type SilentClusters = ReadonlyMap<string, ClusterView>;

/**
 * Those of the clusters that exist, once they are silent for good. They stay in the fleet, and the hub gives each one taint: the rules
 * of Placements decide what that does, once all that tolerates it for a time has ended.
 */
export function silentClusters(inputs: WorldInputs, names: Iterable<string>): SilentClusters {
  const silent = new Map<string, ClusterView>();
  for (const name of names) {
    const view = inputs.cluster(name);
    if (view === undefined) continue;
    silent.set(name, { ...view, taints: [...view.taints.filter((one) => !isHealthTaint(one)), SILENT] });
  }
  return silent;
}

/** What the Placement selects from while these clusters are silent. */
export function snapshotWhile(snapshot: PlacementSnapshot, silent: SilentClusters): PlacementSnapshot {
  const { candidates } = snapshot;
  const [tainted, selected] = [new Map(candidates.tainted), new Map(snapshot.selected)];
  for (const [name, view] of silent) {
    if (candidates.matched.has(name)) tainted.set(name, view.taints);
    if (selected.has(name)) selected.set(name, view);
  }
  const view = (name: string): ClusterView | undefined => {
    const known = candidates.view(name);
    return known === undefined ? undefined : (silent.get(name) ?? known);
  };
  return { ...snapshot, selected, candidates: { ...candidates, tainted, view } };
}

/** What keeps the hub from tainting clusters that are silent: what follows from the loss does so only when somebody else does. */
export interface Unnoticed {
  /** Those of which no agent has ever reported, nor an inventory does; sorted, undefined for none. */
  readonly unnoticed?: readonly string[];
  /** Most of the fleet is silent then: the hub taints none. */
  readonly braked?: true;
}

/** What the hub notices of clusters that fall silent. By the names of those that are lost, with what it does not notice. */
export function unnoticedIn({ objects }: World, inputs: WorldInputs): (names: Iterable<string>) => Unnoticed {
  const unseen = new Set<string>();
  const answering = new Set<string>();
  let joined = 0;
  for (const { metadata, spec } of objects.managedclusters) {
    const { name, annotations } = metadata;
    const accepts = field(spec, 'hubAcceptsClient');
    const taints = inputs.cluster(name)?.taints ?? [];
    const reports = typeof accepts === 'boolean' && !taints.some(isNeverJoined);
    if (!reports && annotations?.[SOURCE_ANNOTATION] === undefined) unseen.add(name);
    if (!reports || accepts === false) continue;
    joined += 1;
    if (!taints.some(isHealthTaint)) answering.add(name);
  }
  return (names) => {
    const lost = [...new Set(names)];
    const falling = lost.filter((one) => answering.has(one)).length;
    const silent = joined - answering.size + falling;
    const unnoticed = lost.filter((one) => unseen.has(one)).sort();
    const braked = falling > 0 && isSilentScope({ joined, silent });
    return { ...(unnoticed.length > 0 && { unnoticed }), ...(braked && { braked }) };
  };
}
