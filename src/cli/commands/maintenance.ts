import { meantText } from '@multicluster-engine/values/nearestword';
import { drainedPlacements } from '../../answers/drain.js';
import { holdersOf } from '../../answers/whoselects.js';
import type { Withheld, World, WorldResource } from '../../answers/world/world.js';
import type { ReadClient, WriteClient } from '../../runtime/client/client.js';
import { delay, type Clock } from '../../runtime/clock.js';
import { ApiError } from '../../runtime/errors.js';
import { DECISION_RESOURCES, readFleetWorld, TYPES, unreadableLine } from '../../answers/world/worlds.js';
import { namesOf, notFound } from '../../answers/meant.js';
import { INCOMPLETE, linesText, NotFoundError, RefusedError, someNames, table } from '../../answers/output.js';
import { leftText, maintenanceText, maintenanceWrite, applySpec } from '../../answers/actions/write.js';
import { ManagedClusters } from '../../api/resources.js';
import type { RawObject } from '../../runtime/vocabulary/meta.js';
import { createInterface } from 'node:readline/promises';
import { isatty } from 'node:tty';
import { changeHub, done, type ChangeConfig, type Hub } from '../hub.js';
import type { Answer } from '../terminal/answer.js';
import { printAnswer, printNote } from '../terminal/print.js';
import { progressLine } from '../terminal/progressline.js';

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

export type MaintenanceClient = Pick<ReadClient, 'get' | 'list'> & Pick<WriteClient, 'apply'>;

/** Returns one line. @throws NotFoundError; RefusedError; ApiError. */
export async function cordon(client: MaintenanceClient, name: string): Promise<string> {
  const write = maintenanceWrite(await readCluster(client, name), 'cordon');
  if (write === undefined) return maintenanceText(name, 'cordon', true);
  await applySpec(client, write);
  return maintenanceText(name, 'cordon', false);
}

/** Begins to drain a cluster. Returns false if that was done before. @throws NotFoundError; RefusedError; ApiError */
export async function startDrain(client: MaintenanceClient, name: string): Promise<boolean> {
  const write = maintenanceWrite(await readCluster(client, name), 'drain');
  if (write === undefined) return false;
  await applySpec(client, write);
  return true;
}

/** Ends what `cordon` and `drain` began; returns one line. @throws RefusedError for what others have written; NotFoundError; ApiError. */
export async function uncordon(client: MaintenanceClient, name: string): Promise<string> {
  const write = maintenanceWrite(await readCluster(client, name), 'uncordon');
  if (write === undefined) return maintenanceText(name, 'uncordon', true);
  const left = leftText(await applySpec(client, write));
  if (left === undefined) return maintenanceText(name, 'uncordon', false);
  throw new RefusedError(left);
}

async function readCluster(client: MaintenanceClient, name: string): Promise<RawObject> {
  const cluster = await client.get<RawObject>(ManagedClusters, { name });
  if (cluster === undefined) throw await notFound(client, ManagedClusters, { name });
  return cluster;
}

const STANDARD_INPUT = 0;

/** Keeps Placements from newly selecting a cluster, or ends that; returns the exit code. */
export function runCordon({ cluster, ...config }: ChangeConfig & { readonly cluster: string }): Promise<number> {
  const change = config.command === 'cordon' ? cordon : uncordon;
  return changeHub(config, async ({ client }) => done(await change(client, cluster)));
}

type DrainConfig = ChangeConfig & DrainRequest & { readonly yes: boolean };

/** Moves a cluster out of all decisions; returns the exit code. */
export function runDrain(config: DrainConfig): Promise<number> {
  return changeHub(config, (hub) => drain(config, hub));
}

async function drain(config: DrainConfig, { client, announceWrites, clock, now }: Hub): Promise<Answer> {
  const progress = progressLine();
  let endInterrupt = (): void => undefined;
  const console: DrainConsole = {
    print: (text) => {
      progress.clear();
      printAnswer(text);
    },
    note: (text) => printNote(text),
    progress: (text) => progress.show(text),
    atInterrupt: (text) => void (endInterrupt = sayAtInterrupt(text)),
    confirm: (question) => (config.yes ? Promise.resolve(true) : ask(question)),
  };
  if (!config.dryRun) announceWrites();
  await now();
  try {
    return { text: '', exitCode: await drainCluster({ client, console, clock }, config) };
  } finally {
    endInterrupt();
    progress.clear();
  }
}

/** Asks on the terminal. @throws RefusedError where there is none. */
async function ask(question: string): Promise<boolean> {
  if (!isatty(STANDARD_INPUT)) throw new RefusedError(`${question} Standard input is not a terminal: use --yes`);
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return /^y(es)?$/i.test((await terminal.question(`${question} [y/N] `)).trim());
  } finally {
    terminal.close();
  }
}

/** Says this when the process is interrupted (Ctrl-C), and lets it end as without. Returns what ends that. */
export function sayAtInterrupt(text: string): () => void {
  const say = (): void => {
    try {
      // The terminal shows `^C` in a line that is not ended.
      printNote(`\n${text}`);
    } finally {
      process.kill(process.pid, 'SIGINT');
    }
  };
  process.once('SIGINT', say);
  return () => void process.off('SIGINT', say);
}
