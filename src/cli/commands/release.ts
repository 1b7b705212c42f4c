import { ALL_ADVICE, releaseOf } from '../../answers/actions/release.js';
import { notFound } from '../../answers/meant.js';
import { RefusedError } from '../../answers/output.js';
import { readPlacementWorld } from '../../answers/world/worlds.js';
import { CLI_FIELD_MANAGER } from '../../api/names.js';
import { Placements } from '../../api/resources.js';
import type { ReadClient, WriteClient } from '../../runtime/client/client.js';
import { isFailure } from '../../runtime/errors.js';
import { type ChangeConfig, withHub } from '../hub.js';
import { answer } from '../terminal/answer.js';

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
  const { namespace, placement: name, now, until, additions = false, clusters, dryRun = false } = request;
  const world = { ...(await readPlacementWorld(client, { namespace, name })), at: now };
  const [placement] = world.objects.placements;
  if (placement === undefined) throw await notFound(client, Placements, { namespace, name });
  const { line, write } = releaseOf(world, placement, { additions, clusters, until });
  if (write === undefined || dryRun) return `${line}${write === undefined ? '' : ' (dry run)'}`;
  const { uid = '', resourceVersion = '' } = placement.metadata;
  const metadata = { uid, resourceVersion, annotations: write.annotations };
  try {
    await client.patchMetadata(Placements, { namespace, name }, metadata, { fieldManager: CLI_FIELD_MANAGER });
  } catch (error) {
    if (!isFailure(error, 'Invalid') || !error.causes.some((one) => one.field === 'metadata.annotations')) throw error;
    throw new RefusedError(
      `the annotations of ${namespace}/${name} are full: ${ALL_ADVICE}, or remove some of the others`,
      {
        cause: error,
      },
    );
  }
  return line;
}
