import { keyOf } from '../runtime/vocabulary/names.js';
import { HISTORY_ANNOTATION } from '../api/names.js';
import { meantText } from '@multicluster-engine/values/nearestword';
import { wordText } from '../domain/placement/explain/requirementtext.js';
import { isOwn, placementKeys, readDecision } from '../domain/placement/stored/decision.js';
import { mergedHistory, readHistory, type HistoryEntry } from '../domain/placement/stored/history.js';
import type { RawObject } from '../runtime/vocabulary/meta.js';
import { namesOf } from './meant.js';
import { CLI_API_VERSION, NotFoundError } from './output.js';
import { isWithheld, limitsOf, type Limits } from './world/withheld.js';
import { differencesOf, editsOf, type Difference, type Edit } from './edits.js';
import { TYPES } from './world/worlds.js';
import { WORLD_RESOURCES, type World, type WorldResource } from './world/world.js';
import type { FleetReading } from './world/worlds.js';

/** What has changed in the decisions of a name: kind PlacementHistory (docs/reference/cli/placementhistory.schema.json). */
export interface PlacementHistory extends Limits {
  readonly apiVersion: string;
  readonly kind: 'PlacementHistory';
  /** By namespace. */
  readonly placements: readonly DecisionHistory[];
}

/** A change of a decision, and the edits that it follows. */
export interface DecisionChange extends HistoryEntry {
  /** The edits of the object of `trigger` within ten seconds before the change, the newest first; absent where none is known. */
  readonly edits?: readonly Edit[];
  /** Why no edit is known; absent also where nothing but time has passed. */
  readonly unknown?: string;
}

/** What has changed in the decision of a Placement. */
export interface DecisionHistory {
  readonly namespace: string;
  readonly name: string;
  /** The newest first. */
  readonly changes: readonly DecisionChange[];
  /** How many older ones there were. */
  readonly notKept: number;
  /** Who has edited the Placement: the last edit of each field manager, the newest first. */
  readonly edits: readonly Edit[];
  /** What of its spec is not as `kubectl apply` has written it last; absent where it never has. */
  readonly differences?: readonly Difference[];
}

/** The last changes of the decisions of all Placements of this name. @throws NotFoundError where there is none */
export function placementHistory(reading: FleetReading, name: string, isRead: IsRead): PlacementHistory {
  const placements = decisionHistories(reading.world, name, isRead);
  if (placements.length === 0 && !isWithheld(reading, 'placements')) {
    const where = reading.namespace === undefined ? 'any namespace' : `namespace ${reading.namespace}`;
    const meant = meantText(name, namesOf(reading.world.objects.placements));
    throw new NotFoundError(`Placement ${wordText(name)} was not found in ${where}${meant}`);
  }
  return { apiVersion: CLI_API_VERSION, kind: 'PlacementHistory', placements, ...limitsOf(reading) };
}

/** Whether objects of this resource were asked for: of others it is not known who has edited them. */
type IsRead = (resource: WorldResource) => boolean;

/** The histories of all Placements of this name, by namespace. */
export function decisionHistories(world: World, name: string, isRead: IsRead): readonly DecisionHistory[] {
  return world.objects.placements
    .filter(({ metadata }) => metadata.name === name)
    .map((one) => decisionHistory(world, one, isRead))
    .sort((a, b) => (a.namespace < b.namespace ? -1 : 1));
}

/** The history of one Placement of the world. */
export function decisionHistory(world: World, placement: RawObject, isRead: IsRead): DecisionHistory {
  const { namespace = '', name, uid = '' } = placement.metadata;
  const key = keyOf({ namespace, name });
  const own = world.objects.placementdecisions.filter(
    (one) => placementKeys(one).includes(key) && isOwn(readDecision(one, { namespace, name, uid })),
  );
  const merged = mergedHistory(own.map(({ metadata }) => readHistory(metadata.annotations?.[HISTORY_ANNOTATION])));
  const scope = { world, namespace, isRead };
  const changes = [...merged.entries].reverse().map((one) => ({ ...one, ...editsBefore(one, scope) }));
  const differences = differencesOf(placement);
  return {
    namespace,
    name,
    changes,
    notKept: merged.dropped,
    edits: editsOf(placement, false),
    ...(differences !== undefined && { differences }),
  };
}

/** A controller decides within seconds; an edit that is older has led to no change, or to an earlier one. */
const REACTION_MS = 10_000;

interface EditScope {
  readonly world: World;
  /** Of the Placement. */
  readonly namespace: string;
  readonly isRead: IsRead;
}

/** The edits that a change follows, or why they are not known: nothing is guessed. */
function editsBefore(
  change: HistoryEntry,
  { world, namespace, isRead }: EditScope,
): Pick<DecisionChange, 'edits' | 'unknown'> {
  const { trigger } = change;
  if (trigger === 'time') return {};
  const [kind = '', ...names] = trigger.split('/');
  const name = names.join('/');
  const resource = WORLD_RESOURCES.find((one) => TYPES[one].kind === kind);
  if (resource === undefined || name === '') return { unknown: 'the controller had just started' };
  if (!isRead(resource))
    return { unknown: `${TYPES[resource].plural} are not read: kubectl get ${resource} ${name} --show-managed-fields` };
  if (isWithheld({ world }, resource)) return { unknown: `needs list ${resource}` };
  const isIt = ({ metadata }: RawObject): boolean =>
    metadata.name === name && (!TYPES[resource].namespaced || metadata.namespace === namespace);
  const object = world.objects[resource].find(isIt);
  if (object === undefined) return { unknown: `${kind} ${wordText(name)} does not exist any more` };
  const edits = editsOf(object, resource === 'managedclusters');
  const at = Date.parse(change.time);
  const near = edits.filter(({ time }) => {
    const before = at - Date.parse(time);
    return before >= 0 && before <= REACTION_MS;
  });
  if (near.length > 0) return { edits: naming(near, change) };
  const later = edits.find(({ time }) => Date.parse(time) > at);
  if (later === undefined) return { unknown: 'no field manager has written just before it' };
  return { unknown: `edited again since: by ${wordText(later.manager)} at ${later.time}` };
}

/** Those that own a label which a cluster has left for, where some do. */
function naming(edits: readonly Edit[], { removed }: HistoryEntry): readonly Edit[] {
  const labels = removed.flatMap(({ why }) =>
    [...why.matchAll(/label ([\w./-]+)/g)].map(([, key]) => `metadata.labels.${key}`),
  );
  const owners = edits.filter(({ fields }) => fields.some((field) => labels.includes(field)));
  return owners.length === 0 ? edits : owners;
}
