import { ALLOW_ADDITIONS_ANNOTATION, ALLOW_REMOVALS_ANNOTATION, CLI_FIELD_MANAGER } from '../../api/names.js';
import { meantText } from '@multicluster-engine/values/nearestword';
import { Placements } from '../../api/resources.js';
import { timestamp } from '../../runtime/vocabulary/meta.js';
import { explainInputOf, type World } from '../../answers/world/world.js';
import { endableLine, activeReleases } from '../../domain/placement/report/releases.js';
import { LONGEST_RELEASE, LONGEST_RELEASE_MS, MOST_RELEASED, releaseText } from '../../domain/placement/spec/budget.js';
import { wordText } from '../../domain/placement/explain/requirementtext.js';
import { isHeldForLoss } from '../../domain/placement/select/definitions.js';
import type { ExplainInput } from '../../domain/placement/explain/verdict.js';
import { holdersText, releaseWaits } from '../../domain/placement/report/holds.js';
import { isHold, keptOut, merelyWaits, staying, type Decision } from '../../domain/placement/select/decision.js';
import { schedule } from '../../domain/placement/select/schedule.js';
import type { ReadClient, WriteClient } from '../../runtime/client/client.js';
import { isFailure } from '../../runtime/errors.js';
import { notFound } from '../../answers/meant.js';
import { NotFoundError, RefusedError, someNames } from '../../answers/output.js';
import type { ChangeConfig } from '../changehub.js';
import { withHub } from '../hub.js';
import { answer } from '../terminal/answer.js';
import { readPlacementWorld } from '../../answers/world/worlds.js';
import { unreadableLine } from '../../answers/world/withheld.js';

/** Lets clusters leave a decision that are held in it, or come in that its disruption budget keeps out. */

type ReleaseConfig = ChangeConfig &
  Required<Omit<ReleaseRequest, 'namespace' | 'now' | 'until'>> & { readonly forMs: number };

/** Writes the release; returns the exit code: 1, and one line on standard error, when it is not written. */
export function runRelease(config: ReleaseConfig): Promise<number> {
  return answer('release', async () => {
    const { placement, additions, clusters, forMs, dryRun, source } = config;
    const line = await withHub(config, source, async ({ client, namespace, now: hubTime }) => {
      const now = await hubTime();
      const request = { namespace: namespace(), placement, additions, clusters, dryRun, now, until: now + forMs };
      return releaseClusters(client, request);
    });
    return { text: `${line}\n`, exitCode: 0 };
  });
}

export interface ReleaseRequest {
  readonly placement: string;
  /** Whether clusters may come in that are kept out; otherwise those may leave that are kept in. */
  readonly additions?: boolean;
  /** Names of clusters, or `*`; undefined: those that are held. */
  readonly clusters: readonly string[] | undefined;
  readonly dryRun?: boolean;
  readonly namespace: string;
  /** ms since the epoch. */
  readonly now: number;
  /** ms since the epoch, later than `now`. */
  readonly until: number;
}

type ReleaseClient = ReadClient & Pick<WriteClient, 'patchMetadata'>;

/** A Placement that is changed meanwhile is read and written again, this often. */
const ATTEMPTS = 3;
const ALL = '*';
const MOST_NAMES = 20;
/** The caches may not show yet what is created again with a definition. */
const LOSS_WAIT = '; they leave at the earliest 30 s after the definition was created again';
const ALL_ADVICE = "--clusters '*' releases all that fail a rule until then";

/**
 * Writes the annotation allow-removals or allow-additions of the Placement, in place of an earlier one; returns one line.
 * Writes nothing when nothing is held. @throws NotFoundError without such a Placement or cluster; ApiError.
 */
export async function releaseClusters(client: ReleaseClient, request: ReleaseRequest): Promise<string> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await release(client, request);
    } catch (error) {
      if (!isFailure(error, 'Conflict') || attempt >= ATTEMPTS) throw error;
    }
  }
}

async function release(client: ReleaseClient, request: ReleaseRequest): Promise<string> {
  const { namespace, placement: name, now, until, additions = false, dryRun = false } = request;
  const world = { ...(await readPlacementWorld(client, { namespace, name })), at: now };
  const [placement] = world.objects.placements;
  const of = `${namespace}/${name}`;
  if (placement === undefined) throw await notFound(client, Placements, { namespace, name });
  const input = explainInputOf(world, namespace, name);
  const decided = input && schedule(input.snapshot);
  const clusters = request.clusters ?? heldIn(world, decided, additions);
  if (clusters.length === 0)
    return `${of} holds no cluster${additions ? ' out' : ''}: nothing to release${waitingClause(input, decided, additions)}`;
  checkNames(clusters, world, { input: additions ? undefined : input, of });
  const waits = additions ? undefined : input && decided && releaseWaits(input.snapshot, decided, { clusters, until });
  if (waits?.tooLate !== undefined) {
    const longer =
      waits.tooLate < now + LONGEST_RELEASE_MS ? `, or with a longer --for (${LONGEST_RELEASE} at most)` : '';
    throw new RefusedError(`${of}: nothing is released, since ${waits.text}; release them then${longer}`);
  }
  const { uid = '', resourceVersion = '', generation = 0 } = placement.metadata;
  const text = releaseText(until, clusters);
  if (text === undefined)
    throw new RefusedError(
      `${clusters.length} clusters are too many to be named, at most ${MOST_RELEASED} are: ${ALL_ADVICE}`,
    );
  const key = additions ? ALLOW_ADDITIONS_ANNOTATION : ALLOW_REMOVALS_ANNOTATION;
  const metadata = { uid, resourceVersion, annotations: { [key]: text } };
  try {
    if (!dryRun)
      await client.patchMetadata(Placements, { namespace, name }, metadata, { fieldManager: CLI_FIELD_MANAGER });
  } catch (error) {
    if (!isFailure(error, 'Invalid') || !error.causes.some((one) => one.field === 'metadata.annotations')) throw error;
    throw new RefusedError(`the annotations of ${of} are full: ${ALL_ADVICE}, or remove some of the others`, {
      cause: error,
    });
  }
  const isLost = !additions && isHeldForLoss({ generation, status: placement.status });
  const later = waits === undefined || waits.text === '' ? '' : `; ${waits.text}`;
  const wait = `${isLost ? LOSS_WAIT : ''}${later}${dryRun ? ' (dry run)' : ''}`;
  if (!clusters.includes(ALL)) {
    const named = `${someNames(clusters, MOST_NAMES)} may ${additions ? 'come in' : 'leave'} until ${timestamp(until)}`;
    return `${of}: ${named}${wait}`;
  }
  const written = activeReleases({ metadata: { annotations: { [key]: text } } }, now).map((one) =>
    endableLine(one, { namespace, name }),
  );
  return `${of}: ${written.join('; ')}${wait}`;
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
