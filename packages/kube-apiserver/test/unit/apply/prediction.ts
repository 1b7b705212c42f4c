import { serverSideApply } from '../../../src/apply/apply.js';
import { keepUnchangedTimes, trackUpdate } from '../../../src/apply/track.js';
import { equal, isObject } from '@multicluster-engine/values/json';
import type { Json, JsonObject } from '@multicluster-engine/values/json';
import type { KubeObject, ManagedFieldsEntry } from '@multicluster-engine/values/object';
import { jsonPatch } from '../../../src/patch/json.js';
import { mergePatch } from '../../../src/patch/merge.js';
import { strategicMerge } from '../../../src/patch/strategic.js';
import { StatusError } from '../../../src/status.js';
import { withoutNulls, type Subject } from './subjects.js';

/** What of a recorded request is needed to predict its response. */
export interface OwnershipRequest {
  readonly type: 'apply' | 'create' | 'put' | 'merge' | 'json' | 'strategic' | 'delete';
  readonly manager: string;
  readonly subresource: string;
  readonly force: boolean;
  readonly body: Json;
}

/** A difference between the prediction and the response of the server. */
export interface Discrepancy {
  readonly what: string;
  readonly ours: Json;
  readonly real: Json;
}

/** A request with the state of its object. */
export interface RequestInState {
  readonly subject: Subject;
  readonly move: OwnershipRequest;
  readonly live: KubeObject | undefined;
}

interface Answer {
  readonly status: number;
  readonly body: unknown;
}

/** Sets the defaults of an object; undefined where they are unknown. */
type Complete = (object: JsonObject) => Promise<Json | undefined>;

/** Compares a response with its prediction; undefined where they are equal. */
export async function compareWithPrediction(
  turn: RequestInState,
  answer: Answer,
  complete: Complete,
): Promise<Discrepancy | undefined> {
  if (turn.move.type === 'delete') return undefined;
  if (answer.status >= 300) return refused(turn, answer);
  const real = asObject(answer.body);
  const ours = attempt(() => predict(turn, real));
  if (ours instanceof StatusError) return { what: 'rejected by the prediction only', ours: ours.toStatus(), real };
  const entries = entriesOf(settled(ours, turn, real));
  if (!equal(entries, entriesOf(real))) return { what: 'managedFields', ours: entries, real: entriesOf(real) };
  if (ours.object === undefined) return undefined;
  const done = await complete(ours.object);
  if (done === undefined) return undefined;
  const [mine, theirs] = [stripped(done), stripped(real)];
  return equal(mine, theirs) ? undefined : { what: 'object', ours: mine, real: theirs };
}

interface Prediction {
  readonly entries: readonly ManagedFieldsEntry[] | undefined;
  /** The object before defaults; undefined where the request contains the whole object. */
  readonly object: JsonObject | undefined;
}

/** Predicts the result of a request. @param real the response, from which only values set by the server are taken */
export function predict({ subject, move, live }: RequestInState, real: KubeObject): Prediction {
  const { resource } = subject;
  const now = timeOf(real) ?? 0;
  const { manager, subresource } = move;
  if (move.type === 'apply') {
    const object = serverSideApply({
      live,
      applied: move.body,
      manager,
      subresource,
      force: move.force,
      resource,
      now,
    });
    return { entries: object.metadata.managedFields, object: kept(subject, object, live, subresource) };
  }
  const object = patched(subject, move, live ?? {});
  const next = trackUpdate({
    live,
    next: asSent({ subject, move, live }, real, object),
    manager,
    subresource,
    resource,
    now,
  });
  return {
    entries: next.metadata.managedFields,
    object: object === undefined ? undefined : kept(subject, object, live, subresource),
  };
}

/** The object after a patch, before defaults; undefined for other requests. */
function patched({ resource }: Subject, { type, body }: OwnershipRequest, live: JsonObject): JsonObject | undefined {
  if (type !== 'merge' && type !== 'json' && type !== 'strategic') return undefined;
  const result =
    type === 'merge'
      ? mergePatch(live, body)
      : type === 'json'
        ? jsonPatch(live, body)
        : strategicMerge(resource.schema, live, body);
  if (!isObject(result)) return {};
  return resource.custom ? withoutNulls(result) : result;
}

/** The object before the server prepared it: the response with the fields of the request that the server ignored. */
function asSent({ subject, move }: RequestInState, real: KubeObject, result: JsonObject | undefined): KubeObject {
  const sent = result ?? move.body;
  const metadata = isObject(sent) && isObject(sent['metadata']) ? sent['metadata'] : {};
  const entries = metadata['managedFields'] as readonly ManagedFieldsEntry[] | undefined;
  const { managedFields: _entries, ...rest } = real.metadata;
  const spec = move.type === 'create' && isObject(real['spec']) ? { spec: withoutAllocated(real['spec']) } : {};
  const status =
    move.subresource === '' && subject.resource.custom && isObject(sent) && sent['status'] !== undefined
      ? { status: sent['status'] }
      : {};
  return { ...real, ...spec, ...status, metadata: entries === undefined ? rest : { ...rest, managedFields: entries } };
}

const ALLOCATED: readonly string[] = ['clusterIP', 'clusterIPs', 'ipFamilies', 'ipFamilyPolicy'];

function withoutAllocated(spec: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(spec).filter(([key]) => !ALLOCATED.includes(key)));
}

/** The parts of an object that a write of this kind can change. */
function kept(subject: Subject, object: JsonObject, live: KubeObject | undefined, subresource: string): JsonObject {
  if (!subject.resource.custom || !subject.resource.subresources.some(({ name }) => name === 'status')) return object;
  const { status, ...rest } = object;
  if (subresource === '') return live?.['status'] === undefined ? rest : { ...rest, status: live['status'] };
  const others = Object.fromEntries(Object.entries(live ?? {}).filter(([key]) => key !== 'status'));
  return { ...others, ...(status === undefined ? {} : { status }) };
}

function refused(turn: RequestInState, answer: Answer): Discrepancy | undefined {
  if (turn.move.type === 'create' || turn.move.type === 'put') return undefined;
  const ours = attempt(() => predict(turn, turn.live ?? { apiVersion: '', kind: '', metadata: {} }));
  const real = answer.body as JsonObject;
  if (ours instanceof StatusError) {
    const mine = ours.toStatus();
    return equal(byField(mine), byField(real)) ? undefined : { what: 'error', ours: mine, real };
  }
  return isForOthers(answer.status, JSON.stringify(real['message']))
    ? undefined
    : { what: 'rejected by the server only', ours: null, real };
}

/** Whether an error is not about the patch itself: the resulting object is invalid. */
function isForOthers(status: number, message: string): boolean {
  if (status === 422) return !message.includes('the server rejected our request due to an error in our request');
  return /^"(Operation cannot|failed to convert new object .*illegal base64)|StorageError/.test(message);
}

function byField(status: JsonObject): JsonObject {
  const details = isObject(status['details']) ? status['details'] : {};
  const causes = Array.isArray(details['causes']) ? details['causes'].map((cause) => JSON.stringify(cause)).sort() : [];
  return { ...status, details: { ...details, causes } };
}

function attempt(run: () => Prediction): Prediction | StatusError {
  try {
    return run();
  } catch (error) {
    if (error instanceof StatusError) return error;
    throw error;
  }
}

/** The response with the predicted managedFields. Times are kept where nothing changed. */
function settled({ entries, object }: Prediction, { subject, live }: RequestInState, real: KubeObject): KubeObject {
  const { managedFields: _entries, ...rest } = real.metadata;
  const mine: KubeObject = { ...real, metadata: entries === undefined ? rest : { ...rest, managedFields: entries } };
  // kube-apiserver treats empty labels of a custom resource as a change, though it reads them as absent.
  if (live === undefined || (subject.resource.custom && hasNothings(object))) return mine;
  // A stored null that reading drops makes kube-apiserver write an equal object again.
  return keepUnchangedTimes(mine, { ...live, metadata: { ...live.metadata, ...versionOf(real) } });
}

function versionOf({ metadata: { resourceVersion } }: KubeObject): { resourceVersion?: string } {
  return resourceVersion === undefined ? {} : { resourceVersion };
}

function entriesOf(object: KubeObject): Json {
  return object.metadata.managedFields?.map((entry): Json => entry) ?? null;
}

function timeOf(object: KubeObject): number | undefined {
  const times = (object.metadata.managedFields ?? [])
    .map(({ time }) => Date.parse(time ?? ''))
    .filter((time) => !Number.isNaN(time));
  return times.length === 0 ? undefined : Math.max(...times);
}

const SET_BY_SERVER: readonly string[] = [
  'uid',
  'resourceVersion',
  'generation',
  'creationTimestamp',
  'managedFields',
  'selfLink',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'namespace',
];

function stripped(object: Json): Json {
  if (!isObject(object)) return object;
  const metadata = isObject(object['metadata']) ? object['metadata'] : {};
  const left = Object.entries(metadata).filter(([key, value]) => !SET_BY_SERVER.includes(key) && !isNothing(value));
  return { ...withEmbedded(object), metadata: Object.fromEntries(left) };
}

/** Drops empty members of embedded metadata, as reading from the store does. */
function withEmbedded(object: JsonObject): JsonObject {
  const spec = isObject(object['spec']) ? object['spec'] : {};
  const embedded = spec['embedded'];
  if (!isObject(embedded) || !('metadata' in embedded)) return object;
  const metadata = isObject(embedded['metadata']) ? embedded['metadata'] : {};
  const left = Object.entries(metadata).filter(([, value]) => !isNothing(value));
  return { ...object, spec: { ...spec, embedded: { ...embedded, metadata: Object.fromEntries(left) } } };
}

function hasNothings(object: JsonObject | undefined): boolean {
  const metadata = object?.['metadata'];
  return isObject(metadata) && Object.values(metadata).some(isNothing);
}

/** Whether a value of metadata is dropped as empty. */
function isNothing(value: Json | undefined): boolean {
  if (Array.isArray(value)) return value.length === 0;
  return value === null || (isObject(value) && Object.keys(value).length === 0);
}

export function asObject(body: unknown): KubeObject {
  return body as KubeObject;
}
