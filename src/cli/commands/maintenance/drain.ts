import { meantText } from '@multicluster-engine/values/nearestword';
import { drainedPlacements } from '../../../answers/drain.js';
import { holdersOf } from '../../../answers/whoselects.js';
import type { Withheld, World, WorldResource } from '../../../answers/world/world.js';
import type { ReadClient } from '../../../runtime/client/client.js';
import { delay, type Clock } from '../../../runtime/clock.js';
import { ApiError } from '../../../runtime/errors.js';
import { DECISION_RESOURCES, readFleetWorld, TYPES } from '../../../answers/world/worlds.js';
import { namesOf } from '../../../answers/meant.js';
import { INCOMPLETE, linesText, NotFoundError, RefusedError, someNames } from '../../../answers/output.js';
import { table } from '../../../answers/table.js';
import { unreadableLine } from '../../../answers/world/withheld.js';
import { startDrain, type MaintenanceClient } from './maintenance.js';

/** Moves a cluster out of all decisions. */

export interface DrainRequest {
  readonly cluster: string;
  readonly dryRun: boolean;
  readonly timeoutMs: number;
}

/** The terminal of the caller. */
export interface DrainConsole {
  print(text: string): void;
  /** Prints beside the answer. */
  note(text: string): void;
  /** Shows on a terminal what the command waits for. */
  progress(text: string): void;
  /** From now on Ctrl-C prints this before the process ends. */
  atInterrupt(text: string): void;
  /** @throws RefusedError without a terminal. */
  confirm(question: string): Promise<boolean>;
}

export interface DrainTools {
  readonly client: Omit<ReadClient, 'get'> & MaintenanceClient;
  readonly console: DrainConsole;
  readonly clock: Clock;
}

/** Time between two reads of all decisions. */
const READ_EVERY_MS = 2_000;
const MOST_NAMES = 5;
/** What says which decisions name a cluster: the rest of a large fleet is not read again and again while they change. */
const HOLDER_RESOURCES: readonly WorldResource[] = ['placements', 'placementdecisions'];

/**
 * Prints what becomes of each decision that names the cluster, asks, sets `spec.maintenance`, and waits until no decision names the
 * cluster. Returns the exit code: 1 when some still do after the timeout, when all that still do will not change by waiting, or
 * when the answer is no; of a dry run 3 when the replacements are not known.
 * @throws RefusedError where not all decisions can be read; NotFoundError; ApiError, ResourceMissing where a type is not served.
 */
export async function drainCluster(tools: DrainTools, request: DrainRequest): Promise<number> {
  const { client, console, clock } = tools;
  const { cluster: name, dryRun, timeoutMs } = request;
  const world = await readWorld(tools, DECISION_RESOURCES);
  const names = namesOf(world.objects.managedclusters);
  if (!names.includes(name) && world.withheld.length === 0)
    throw new NotFoundError(`ManagedCluster ${name} was not found${meantText(name, names)}`);
  console.print(linesText(drainLines(world, name)));
  if (dryRun) return world.withheld.length === 0 ? 0 : INCOMPLETE;
  if (!(await console.confirm(`drain ${name}?`))) return 1;
  await startDrain(client, name);
  console.atInterrupt(goesOn(name));
  const end = clock.monotonic() + timeoutMs;
  for (;;) {
    const remaining = end - clock.monotonic();
    const read = await readWorld(tools, remaining > 0 ? HOLDER_RESOURCES : DECISION_RESOURCES);
    const now = remaining > 0 ? withHolders(world, read) : read;
    const left = [...holdersOf(now, name).keys()].sort();
    if (left.length === 0) {
      console.print(`${name} is drained: no decision names it\n`);
      return 0;
    }
    if (remaining <= 0 || isStuck(now, name, left)) {
      console.print(linesText([`decisions still name ${name}:`, ...drainLines(now, name)]));
      console.note(goesOn(name));
      return 1;
    }
    console.progress(`waiting for ${someNames(left, MOST_NAMES)}`);
    await delay(clock, Math.min(READ_EVERY_MS, remaining));
  }
}

/** What is true when the command ends before the drain does. */
function goesOn(name: string): string {
  return (
    `${name} stays drained without this command, until kubectl mce uncordon ${name}; ` +
    `kubectl mce who-selects ${name} shows which Placements still select it\n`
  );
}

/** The fleet of one world with the Placements and decisions of a later one. */
function withHolders(fleet: World, { at, objects: { placements, placementdecisions } }: World): World {
  return { ...fleet, at, objects: { ...fleet.objects, placements, placementdecisions } };
}

/** Whether none of the Placements of `keys` will let the cluster go, unless somebody changes something. */
function isStuck(world: World, name: string, keys: readonly string[]): boolean {
  const staying = drainedPlacements(world, name).filter(({ isStaying }) => isStaying);
  const stuck = new Set(staying.map(({ namespace, name: placement }) => `${namespace}/${placement}`));
  return keys.every((key) => stuck.has(key));
}

/** All Placements and decisions, and what else of `resources` can be read: replacements are not known without it. */
async function readWorld({ client, clock }: DrainTools, resources: readonly WorldResource[]): Promise<World> {
  const { world } = await readFleetWorld(client, { namespace: undefined, fallback: () => '', resources });
  const missing = world.withheld.find(({ status }) => status === 404);
  if (missing !== undefined) throw notServed(missing);
  // The empty fallback is all namespaces again, so `withheld` has what was refused there, each resource once.
  const needed = world.withheld.filter(({ resource }) => (HOLDER_RESOURCES as readonly string[]).includes(resource));
  const unread = unreadableLine(needed, 'which decisions name the cluster is not known');
  if (unread !== undefined) throw new RefusedError(unread);
  return { ...world, at: clock.now() };
}

function notServed({ resource, verb, status }: Withheld): ApiError {
  const call = { verb, resource: `${resource}.${TYPES[resource].group}` };
  return new ApiError({ kind: 'ResourceMissing', status, message: `${verb} ${call.resource}: HTTP ${status}`, call });
}

/** One line for each Placement: `shop/web  edge-1 → edge-7`. */
export function drainLines(world: World, name: string): readonly string[] {
  const planned = drainedPlacements(world, name).map((one) => [`${one.namespace}/${one.name}`, one.text] as const);
  const outcomes = new Map<string, string>(planned);
  const rows = [...holdersOf(world, name).keys()]
    .sort()
    .map((placement) => [placement, outcomes.get(placement) ?? `${name} leaves anyway`]);
  const note = unreadableLine(world.withheld, 'replacements are not known');
  const notes = note === undefined ? [] : [note];
  return [...notes, ...(rows.length === 0 ? [`no decision names ${name}`] : table(rows, false))];
}
