import { keyOf } from '../runtime/vocabulary/names.js';
import { HISTORY_ANNOTATION, LAST_APPLIED } from '../api/names.js';
import { meantText } from '@multicluster-engine/values/nearestword';
import { wordText } from '../domain/placement/explain/requirementtext.js';
import { isOwn, placementKeys, readDecision } from '../domain/placement/stored/decision.js';
import { mergedHistory, readHistory, type HistoryEntry } from '../domain/placement/stored/history.js';
import type { RawObject } from '../runtime/vocabulary/meta.js';
import { namesOf } from './meant.js';
import { CLI_API_VERSION, NotFoundError } from './output.js';
import { isWithheld, limitsOf, type Limits, TYPES, type FleetReading } from './world/worlds.js';
import { WORLD_RESOURCES, type World, type WorldResource } from './world/world.js';
import {
  asRecord,
  isRecord,
  parseJson,
  recordsIn,
  sameJson,
  textField,
  type JsonRecord,
} from '../runtime/vocabulary/json.js';

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

/**
 * The last edit of one field manager, as the API server keeps it in managedFields, to the second. What an earlier edit of the same
 * manager has changed is not kept.
 */
export interface Edit {
  readonly manager: string;
  /** RFC 3339, whole seconds. */
  readonly time: string;
  /** What the manager has written with it or before, and owns: `spec.numberOfClusters`, `metadata.labels.tier`. */
  readonly fields: readonly string[];
}

/** A field that is not as `kubectl apply` has written it last. */
export interface Difference {
  readonly field: string;
  /** As it was applied, JSON; absent where it was not. */
  readonly applied?: string;
  /** As it is; absent where it was removed. */
  readonly now?: string;
  /** Who has written it as it is; absent where nobody owns it. */
  readonly by?: Pick<Edit, 'manager' | 'time'>;
}

/** The fields that are named, by what they are in. */
const NAMED = [['spec'], ['metadata', 'labels'], ['metadata', 'annotations'], ['status']] as const;
const APPLIED_FIELD = `metadata.annotations.${LAST_APPLIED}`;

interface Entry extends Edit {
  readonly owned: JsonRecord;
  readonly subresource: string;
}

/** The newest first; without those of the status where `isOfStatus` is false. */
export function editsOf(object: RawObject, isOfStatus: boolean): readonly Edit[] {
  return entriesOf(object)
    .filter((one) => one.time !== '' && one.fields.length > 0 && (isOfStatus || one.subresource !== 'status'))
    .map(({ manager, time, fields }) => ({ manager, time, fields }));
}

function entriesOf({ metadata }: RawObject): readonly Entry[] {
  const entries = recordsIn((metadata as { readonly managedFields?: unknown }).managedFields).map((entry): Entry => {
    const owned = isRecord(entry['fieldsV1']) ? entry['fieldsV1'] : {};
    const [manager, time, subresource] = ['manager', 'time', 'subresource'].map((name) => textField(entry, name));
    const fields = fieldsIn(owned).filter((field) => field !== APPLIED_FIELD);
    return { manager: manager ?? '', time: time ?? '', subresource: subresource ?? '', fields, owned };
  });
  return entries.sort((a, b) => (a.time < b.time ? 1 : a.time > b.time ? -1 : 0));
}

function fieldsIn(owned: JsonRecord): readonly string[] {
  return NAMED.flatMap((path) => {
    const below = path.reduce<JsonRecord>((at, key) => asRecord(at[`f:${key}`]), owned);
    const keys = Object.keys(below).filter((key) => key.startsWith('f:'));
    return keys.map((key) => [...path, key.slice(2)].join('.'));
  });
}

/** What of the spec is not as `kubectl apply` has written it last; undefined where it never has. */
export function differencesOf(object: RawObject): readonly Difference[] | undefined {
  const last = parseJson(object.metadata.annotations?.[LAST_APPLIED] ?? '');
  if (!isRecord(last)) return undefined;
  const applied = isRecord(last['spec']) ? last['spec'] : {};
  const now = isRecord(object.spec) ? object.spec : {};
  const entries = entriesOf(object);
  const applier = entries.find(({ owned }) => owns(owned, ['metadata', 'annotations', LAST_APPLIED]));
  const writerOf = (path: readonly string[]): Entry | undefined => entries.find(({ owned }) => owns(owned, path));
  // A field that the apply did not name, and that its manager owns, is a default of the definition.
  const added = Object.keys(now).filter((key) => {
    const writer = writerOf(['spec', key]);
    return !Object.hasOwn(applied, key) && writer !== undefined && writer.manager !== applier?.manager;
  });
  const changed = [
    ...changedIn(applied, now, ['spec']),
    ...added.map((key) => [['spec', key], undefined, now[key]] as const),
  ];
  return changed.map(([path, before, after]) => {
    const writer = after === undefined ? undefined : writerOf(path);
    return {
      field: path.join('.'),
      ...(before !== undefined && { applied: jsonText(before) }),
      ...(after !== undefined && { now: jsonText(after) }),
      ...(writer !== undefined && { by: { manager: writer.manager, time: writer.time } }),
    };
  });
}

/** Of an annotation that anybody may write: JSON.parse reads more levels than JSON.stringify writes. */
function jsonText(value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch {
    return '(nested too deeply)';
  }
}

type Changed = readonly [path: readonly string[], before: unknown, after: unknown];

/** The fields of the first that the second does not have so. */
function changedIn(before: JsonRecord, after: JsonRecord, path: readonly string[]): readonly Changed[] {
  return Object.entries(before).flatMap(([key, value]): readonly Changed[] => {
    const now = Object.hasOwn(after, key) ? after[key] : undefined;
    if (holds(value, now)) return [];
    return isRecord(value) && isRecord(now) ? changedIn(value, now, [...path, key]) : [[[...path, key], value, now]];
  });
}

/** Whether all of the first is in the second, which may have defaults besides. */
function holds(value: unknown, now: unknown): boolean {
  if (Array.isArray(value))
    return Array.isArray(now) && value.length === now.length && value.every((one, index) => holds(one, now[index]));
  if (!isRecord(value)) return value === null ? now === undefined || now === null : sameJson(value, now);
  return isRecord(now) && Object.entries(value).every(([key, one]) => holds(one, now[key]));
}

/** Whether the field is owned, or a part of it, or what it is a part of. */
function owns(owned: JsonRecord, [first, ...rest]: readonly string[]): boolean {
  if (first === undefined) return true;
  const below = owned[`f:${first}`];
  if (!isRecord(below)) return false;
  return Object.keys(below).length === 0 || owns(below, rest);
}
