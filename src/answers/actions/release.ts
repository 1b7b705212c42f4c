import { meantText } from '@multicluster-engine/values/nearestword';
import { ALLOW_ADDITIONS_ANNOTATION, ALLOW_REMOVALS_ANNOTATION } from '../../api/names.js';
import { Placements } from '../../api/resources.js';
import { wordText } from '../../domain/placement/explain/requirementtext.js';
import type { ExplainInput } from '../../domain/placement/explain/verdict.js';
import { holdersText, releaseWaits } from '../../domain/placement/report/holds.js';
import { activeReleases, endableLine } from '../../domain/placement/report/releases.js';
import { keptOut, staying, type Decision } from '../../domain/placement/select/decision.js';
import { isHold, merelyWaits } from '../../domain/placement/select/holders.js';
import { isHeldForLoss } from '../../domain/placement/select/definitions.js';
import { schedule } from '../../domain/placement/select/schedule.js';
import { LONGEST_RELEASE, LONGEST_RELEASE_MS, MOST_RELEASED, releaseText } from '../../domain/placement/spec/budget.js';
import { timestamp, type RawObject } from '../../runtime/vocabulary/meta.js';
import { NotFoundError, RefusedError, someNames } from '../output.js';
import { unreadableLine } from '../world/worlds.js';
import { explainInputOf, type World } from '../world/world.js';
import type { AnnotationWrite } from './write.js';

/** What lets clusters leave a decision that are held in it, or come in that its disruption budget keeps out. */

export interface Released {
  /** Whether clusters may come in that are kept out; otherwise those may leave that are kept in. */
  readonly additions: boolean;
  /** Names of clusters, or `*`; undefined: those that are held. */
  readonly clusters: readonly string[] | undefined;
  /** ms since the epoch, later than the time of the world. */
  readonly until: number;
}

/** A release, and one line that says what it does. */
export interface Release {
  readonly line: string;
  /** Undefined where nothing is held. */
  readonly write: AnnotationWrite | undefined;
}

const ALL = '*';
const MOST_NAMES = 20;
/** The caches may not show yet what is created again with a definition. */
const LOSS_WAIT = '; they leave at the earliest 30 s after the definition was created again';
/** How all are released, also those that are not named. */
export const ALL_ADVICE = "--clusters '*' releases all that fail a rule until then";

/**
 * The annotation allow-removals or allow-additions of the Placement, in place of an earlier one. @throws NotFoundError for a name
 * that is no cluster of the decision, RefusedError for a release that would end too early.
 */
export function releaseOf(world: World, placement: RawObject, { additions, until, ...named }: Released): Release {
  const { namespace = '', name, generation = 0 } = placement.metadata;
  const of = `${namespace}/${name}`;
  const input = explainInputOf(world, namespace, name);
  const decided = input && schedule(input.snapshot);
  const clusters = named.clusters ?? heldIn(world, decided, additions);
  if (clusters.length === 0) {
    const waiting = waitingClause(input, decided, additions);
    return { line: `${of} holds no cluster${additions ? ' out' : ''}: nothing to release${waiting}`, write: undefined };
  }
  checkNames(clusters, world, { input: additions ? undefined : input, of });
  const waits = additions ? undefined : input && decided && releaseWaits(input.snapshot, decided, { clusters, until });
  if (waits?.tooLate !== undefined) {
    const longer =
      waits.tooLate < world.at + LONGEST_RELEASE_MS ? `, or with a longer --for (${LONGEST_RELEASE} at most)` : '';
    throw new RefusedError(`${of}: nothing is released, since ${waits.text}; release them then${longer}`);
  }
  const text = releaseText(until, clusters);
  if (text === undefined)
    throw new RefusedError(
      `${clusters.length} clusters are too many to be named, at most ${MOST_RELEASED} are: ${ALL_ADVICE}`,
    );
  const annotations = { [additions ? ALLOW_ADDITIONS_ANNOTATION : ALLOW_REMOVALS_ANNOTATION]: text };
  const isLost = !additions && isHeldForLoss({ generation, status: placement.status });
  const later = waits === undefined || waits.text === '' ? '' : `; ${waits.text}`;
  const wait = `${isLost ? LOSS_WAIT : ''}${later}`;
  const written = clusters.includes(ALL)
    ? activeReleases({ metadata: { annotations } }, world.at).map((one) => endableLine(one, { namespace, name }))
    : [`${someNames(clusters, MOST_NAMES)} may ${additions ? 'come in' : 'leave'} until ${timestamp(until)}`];
  const write = { kind: 'annotations', type: Placements, object: placement, annotations } as const;
  return { line: `${of}: ${written.join('; ')}${wait}`, write };
}

/** What no release lets go: `; edge-1 waits for the change window that opens at …`. */
function waitingClause(input: ExplainInput | undefined, decided: Decision | undefined, additions: boolean): string {
  const kept = decided?.fates.of(additions ? 'keptOut' : 'held') ?? [];
  const [first, ...more] = kept.filter(([, { by }]) => merelyWaits(by)).sort(([a], [b]) => (a < b ? -1 : 1));
  if (input === undefined || first === undefined) return '';
  const [name, { by }] = first;
  return `; ${wordText(name)}${more.length === 0 ? '' : ` and ${more.length} more`}: ${holdersText(by, input.snapshot)}`;
}

/** The clusters that are held, or kept out. @throws NotFoundError where that cannot be computed. */
function heldIn(world: World, decided: Decision | undefined, additions: boolean): readonly string[] {
  const unread = unreadableLine(world.withheld, 'which clusters are held is not known: name them with --clusters');
  if (unread !== undefined) throw new NotFoundError(unread);
  if (decided === undefined) return [];
  return additions ? [...keptOut(decided, isHold)].sort() : staying(decided, isHold).map((one) => one.cluster);
}

/** A misspelt name would release nothing. @throws NotFoundError for one that the decision, or without it the fleet, does not hold. */
function checkNames(
  clusters: readonly string[],
  world: World,
  { input, of }: { readonly input: ExplainInput | undefined; readonly of: string },
): void {
  const resource = input === undefined ? 'managedclusters' : 'placementdecisions';
  if (clusters.includes(ALL) || world.withheld.some((one) => one.resource === resource)) return;
  const stored = input?.snapshot.stored.flatMap((one) => one.clusters);
  const known = new Set(stored ?? world.objects.managedclusters.map(({ metadata }) => metadata.name));
  const other = clusters.find((one) => !known.has(one));
  if (other === undefined) return;
  const what =
    stored === undefined
      ? `ManagedCluster ${wordText(other)} was not found`
      : `cluster ${wordText(other)} is not in the decision of ${of}`;
  throw new NotFoundError(`${what}${meantText(other, known)}`);
}
