import { frozenLines, pauseText, pauseWrite, resumedLines, applySpec } from '../../answers/actions/write.js';
import { notFound } from '../../answers/meant.js';
import { readPlacementWorld } from '../../answers/world/worlds.js';
import { Placements } from '../../api/resources.js';
import type { ReadClient, WriteClient } from '../../runtime/client/client.js';
import { changeHub, done, type ChangeConfig } from '../hub.js';

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

/** Returns lines. Writes nothing where the field is so already. @throws NotFoundError; RefusedError; ApiError. */
export async function changePause(client: PauseClient, request: PauseRequest): Promise<readonly string[]> {
  const { command, namespace, placement: name, dryRun, now } = request;
  const world = { ...(await readPlacementWorld(client, { namespace, name })), at: now };
  const [placement] = world.objects.placements;
  if (placement === undefined) throw await notFound(client, Placements, { namespace, name });
  const paused = command === 'pause';
  const write = pauseWrite(placement, paused);
  if (write === undefined) return [pauseText({ namespace, name }, paused, true)];
  const lines = paused ? frozenLines(world, { namespace, name }) : resumedLines(world, placement);
  if (dryRun) return [`${namespace}/${name} would be ${paused ? 'paused' : 'resumed'}`, ...lines];
  await applySpec(client, write);
  return [pauseText({ namespace, name }, paused, false), ...lines];
}

/** Freezes a decision, or ends that; returns the exit code. */
export function runPause(config: ChangeConfig & Omit<PauseRequest, 'namespace' | 'now'>): Promise<number> {
  return changeHub(config, async ({ client, namespace, now }) => {
    const { command, placement, dryRun } = config;
    const request = { command, placement, dryRun, namespace: namespace(), now: await now() };
    return done(...(await changePause(client, request)));
  });
}
