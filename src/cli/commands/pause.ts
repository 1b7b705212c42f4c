import { changeRows } from '../../answers/plan/text.js';
import type { RawObject } from '../../runtime/vocabulary/meta.js';
import { asRecord } from '../../runtime/vocabulary/json.js';
import { keyOf } from '../../runtime/vocabulary/names.js';
import { Placements } from '../../api/resources.js';
import { planFleet } from '../../answers/plan/fleetplan.js';
import { explainInputOf, type World } from '../../answers/world/world.js';
import { distinctOwnClusters } from '../../domain/placement/stored/decision.js';
import type { ReadClient, WriteClient } from '../../runtime/client/client.js';
import { notFound } from '../../answers/meant.js';
import { someNames } from '../../answers/output.js';
import { unreadableLine } from '../../answers/world/withheld.js';
import { readPlacementWorld } from '../../answers/world/worlds.js';
import { applySpec, changeHub, done, type ChangeConfig } from '../changehub.js';

/** `spec.paused` of a Placement, by which people freeze its decision. */

export type PauseClient = ReadClient & Pick<WriteClient, 'apply'>;

export interface PauseRequest {
  readonly command: 'pause' | 'resume';
  readonly placement: string;
  /** Show what would happen, and change nothing. */
  readonly dryRun: boolean;
  readonly namespace: string;
  /** Ms since the epoch. */
  readonly now: number;
}

const MOST_NAMES = 20;

/** Returns lines. Writes nothing where the field is so already. @throws NotFoundError; RefusedError; ApiError. */
export async function changePause(client: PauseClient, request: PauseRequest): Promise<readonly string[]> {
  const { command, namespace, placement: name, dryRun, now } = request;
  const world = { ...(await readPlacementWorld(client, { namespace, name })), at: now };
  const [placement] = world.objects.placements;
  if (placement === undefined) throw await notFound(client, Placements, { namespace, name });
  const paused = command === 'pause';
  const of = `${namespace}/${name}`;
  if ((asRecord(placement.spec)['paused'] === true) === paused)
    return [paused ? `${of} is paused already` : `${of} is not paused`];
  const lines = paused ? frozenLines(world, request) : changeLines(world, placement);
  if (dryRun) return [`${of} would be ${paused ? 'paused' : 'resumed'}`, ...lines];
  await applySpec(client, Placements, placement, { paused });
  return [`${of} is ${paused ? 'paused' : 'resumed'}`, ...lines];
}

function frozenLines(world: World, { namespace, placement: name }: PauseRequest): readonly string[] {
  const unread = unreadableLine(world.withheld, `what is frozen is not known`);
  if (unread !== undefined) return [unread];
  const names = distinctOwnClusters(explainInputOf(world, namespace, name)?.snapshot.stored ?? []);
  if (names.length === 0) return ['  no cluster is selected, and none comes in'];
  const stay = names.length === 1 ? '1 cluster stays' : `${names.length} clusters stay`;
  return [`  ${stay}, and none comes in: ${someNames(names, MOST_NAMES)}`];
}

/** What the end of the pause changes: as if it were the only change. */
function changeLines(world: World, placement: RawObject): readonly string[] {
  const unread = unreadableLine(world.withheld, `what changes now is not known`);
  if (unread !== undefined) return [unread];
  const { generation = 0 } = placement.metadata;
  const resumed = {
    ...placement,
    metadata: { ...placement.metadata, generation: generation + 1 },
    spec: { ...asRecord(placement.spec), paused: false },
  };
  const after = { ...world, objects: { ...world.objects, placements: [resumed] } };
  const plan = planFleet(world, after).find((one) => keyOf(one) === keyOf(placement.metadata));
  const rows = (plan === undefined ? [] : changeRows(plan)).map(({ sign, text, why }) => `  ${sign} ${text}  ${why}`);
  return rows.length === 0 ? ['  no cluster comes in or leaves'] : [...rows.slice(0, MOST_NAMES), ...more(rows.length)];
}

function more(count: number): readonly string[] {
  return count > MOST_NAMES ? [`  and ${count - MOST_NAMES} more`] : [];
}

/** Freezes a decision, or ends that; returns the exit code. */
export function runPause(config: ChangeConfig & Omit<PauseRequest, 'namespace' | 'now'>): Promise<number> {
  return changeHub(config, async ({ client, namespace, now }) => {
    const { command, placement, dryRun } = config;
    const request = { command, placement, dryRun, namespace: namespace(), now: await now() };
    return done(...(await changePause(client, request)));
  });
}
