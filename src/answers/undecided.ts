import { DECISION_RESOURCES, isWithheld } from './world/worlds.js';
import type { World } from './world/world.js';

/** That no decision changes on a hub, why, and what helps. */
export interface Undecided {
  readonly message: string;
  readonly remedy: string;
  /** Only Placements that have lost what they select from keep their decisions: the others are decided. */
  readonly isOfSome?: true;
}

/** What of an engine says whether its placement controller runs. */
interface DecidingEngine {
  readonly name: string;
  readonly components: readonly { readonly name: string; readonly available: boolean; readonly message: string }[];
  readonly off: readonly { readonly name: string }[];
}

interface Hub {
  readonly engines: readonly DecidingEngine[];
}

/** Applies the definitions of this version again. */
export const DEFINITIONS_REMEDY = 'kubectl apply --server-side -f crds/';

const CONTROLLER = 'placement-controller';
/** How the engine counts the replicas of a Deployment of which none serves: while one does, decisions are made. */
const NO_REPLICA = /^0 of /;
const NOT_FOUND = 404;

/**
 * What keeps the hub from deciding; undefined where nothing that is known does. `missing`: plural names of kinds that the hub does
 * not serve, besides those of the reading.
 */
export function undecided(world: World, hub: Hub, missing: readonly string[] = []): Undecided | undefined {
  // A controller that lacks a definition is not available either: what comes first is said, and helps.
  const [why, remedy] = definitionCause([...unserved(world), ...missing]) ?? controllerCause(hub, world) ?? [];
  if (why === undefined || remedy === undefined) return undefined;
  return { message: `nothing is being decided, and decisions stay as they are: ${why}`, remedy };
}

/** Why it is not known what there is of a kind: nothing that follows from it is said to be so. */
export function unreadText({ resource, verb, status }: World['withheld'][number]): string {
  return status === NOT_FOUND ? unservedText([resource]) : `needs ${verb} ${resource}`;
}

function unservedText(kinds: readonly string[]): string {
  return `the hub does not serve ${kinds.join(', ')}`;
}

type Cause = readonly [text: string, remedy: string];

function unserved({ withheld }: World): readonly string[] {
  return withheld.flatMap(({ resource, status }) => (status === NOT_FOUND ? [resource] : []));
}

/** Without a kind of which decisions are computed the controller decides nothing. */
function definitionCause(missing: readonly string[]): Cause | undefined {
  const kinds = DECISION_RESOURCES.filter((one) => missing.includes(one));
  if (kinds.length === 0) return undefined;
  const lack = kinds.length === 1 ? 'its definition does not exist' : 'their definitions do not exist';
  return [`${unservedText(kinds)}: ${lack}`, DEFINITIONS_REMEDY];
}

function controllerCause({ engines }: Hub, world: World): Cause | undefined {
  const [engine] = engines;
  if (engine === undefined) {
    if (isWithheld({ world }, 'multiclusterengines')) return undefined;
    return ['there is no MultiClusterEngine: no component runs', 'kubectl apply -f examples/engine.yaml'];
  }
  if (engine.off.some(({ name }) => name === CONTROLLER))
    return [`component ${CONTROLLER} is off`, `kubectl edit mce ${engine.name}`];
  const down = engine.components.find(({ name, available }) => name === CONTROLLER && !available);
  if (down === undefined || !NO_REPLICA.test(down.message)) return undefined;
  return [`component ${CONTROLLER} is not available: ${down.message}`, `kubectl describe mce ${engine.name}`];
}
