import type { Json, JsonObject } from '@multicluster-engine/values/json';
import { isObject } from '@multicluster-engine/values/json';
import type { KubeObject } from '@multicluster-engine/values/object';
import type { ApiRequest } from '../../../testing/controlplane/api.js';
import type { Dice } from '../../../testing/random.js';
import { editedEntries } from './edit.js';
import type { Subject } from './subject.js';

/** A request with the values that are needed to predict its response. */
export interface OwnershipRequest {
  readonly type: 'apply' | 'create' | 'put' | 'merge' | 'json' | 'strategic' | 'delete';
  readonly name: string;
  readonly manager: string;
  readonly subresource: string;
  readonly force: boolean;
  readonly body: Json;
  readonly request: ApiRequest;
}

export interface ObjectState {
  readonly name: string;
  readonly live: KubeObject | undefined;
  /** The last applied configuration of each manager. */
  readonly configurations: Map<string, JsonObject>;
}

const APPLIERS = ['m1', 'm2', 'm3', 'kubectl'];
const UPDATERS = ['u1', 'u2', 'm1', ...Array.from({ length: 12 }, (_, index) => `w${index}`)];

export function nextRequest(dice: Dice, subject: Subject, scene: ObjectState): OwnershipRequest {
  const { live } = scene;
  if (live === undefined) return dice.chance(0.5) ? create(dice, subject, scene) : apply(dice, subject, scene, '');
  const at = dice.next();
  if (at < 0.5) return apply(dice, subject, scene, '');
  if (at < 0.58 && subject.status !== undefined) return apply(dice, subject, scene, 'status');
  if (at < 0.7) return put(dice, subject, { ...scene, live });
  if (at < 0.8) return merge(dice, subject, scene, {});
  if (at < 0.84) return merge(dice, subject, scene, { metadata: { managedFields: editedEntries(dice, live) } });
  if (at < 0.9) return json(dice, subject, scene);
  if (at < 0.97)
    return subject.resource.custom ? status(dice, subject, scene) : strategic(dice, subject, { ...scene, live });
  return remove(subject, scene);
}

function kindOf({ resource: { group, version, kind } }: Subject): JsonObject {
  return { apiVersion: group === '' ? version : `${group}/${version}`, kind };
}

function pathOf(subject: Subject, name: string, subresource: string, query: string): string {
  return `${subject.path}/${name}${subresource === '' ? '' : `/${subresource}`}?${query}`;
}

function metaOf(part: JsonObject): JsonObject {
  return isObject(part['metadata']) ? part['metadata'] : {};
}

function apply(
  dice: Dice,
  subject: Subject,
  { name, live, configurations }: ObjectState,
  subresource: string,
): OwnershipRequest {
  const manager = dice.pick(APPLIERS);
  const force = dice.chance(0.5);
  const key = `${name}/${manager}/${subresource}`;
  const last = configurations.get(key);
  const fresh = (): JsonObject =>
    subresource === ''
      ? { ...(live === undefined ? subject.whole(dice) : subject.part(dice)) }
      : { status: subject.status?.(dice) ?? {} };
  const part = last === undefined || dice.chance(0.4) ? fresh() : varied(dice, last);
  configurations.set(key, part);
  const whole = { ...kindOf(subject), ...part, metadata: { name, ...metaOf(part) } };
  const body = dice.chance(0.03) ? broken(dice, whole) : whole;
  const path = pathOf(subject, name, subresource, `fieldManager=${manager}&force=${String(force)}`);
  const request: ApiRequest = { method: 'PATCH', path, body, contentType: 'application/apply-patch+yaml' };
  return { type: 'apply', name, manager, subresource, force, body, request };
}

/** Replaces one value by one of another type, or adds an unknown field. */
function broken(dice: Dice, value: JsonObject): JsonObject {
  const members = Object.entries(value).filter(([key]) => key !== 'apiVersion' && key !== 'kind' && key !== 'name');
  if (members.length === 0) return { ...value, nowhere: 1 };
  const [key, child] = dice.pick(members);
  const deeper = isObject(child) && dice.chance(0.8);
  return {
    ...value,
    [key]: deeper
      ? broken(dice, child)
      : dice.pick<Json>(['text', 5, 1.5, true, [], ['a', 'a'], [{}], { a: 'b' }, [1, ['x']], [null]]),
  };
}

/** The same value, or the value without some fields. */
function varied(dice: Dice, value: JsonObject): JsonObject {
  if (dice.chance(0.3)) return value;
  const entries = Object.entries(value).flatMap(([key, child]): [string, Json | undefined][] => {
    if (key !== 'spec' && key !== 'template' && key !== 'metadata' && dice.chance(0.15)) return [];
    return [
      [key, isObject(child) ? varied(dice, child) : Array.isArray(child) && dice.chance(0.3) ? child.slice(1) : child],
    ];
  });
  return Object.fromEntries(entries);
}

function create(dice: Dice, subject: Subject, { name }: ObjectState): OwnershipRequest {
  const manager = dice.pick(UPDATERS);
  const part = subject.whole(dice);
  const body = {
    ...kindOf(subject),
    ...part,
    metadata: { name, ...metaOf(part), ...lastApplied(dice, subject, name, part) },
  };
  const request: ApiRequest = { method: 'POST', path: `${subject.path}?fieldManager=${manager}`, body };
  return { type: 'create', name, manager, subresource: '', force: false, body, request };
}

/** Sometimes the annotation of a client-side apply. */
function lastApplied(dice: Dice, subject: Subject, name: string, part: JsonObject): JsonObject {
  if (!dice.chance(0.3)) return {};
  const text = JSON.stringify({ ...kindOf(subject), ...part, metadata: { ...metaOf(part), name } });
  return { annotations: { 'kubectl.kubernetes.io/last-applied-configuration': text } };
}

function put(dice: Dice, subject: Subject, { name, live }: ObjectState & { live: KubeObject }): OwnershipRequest {
  const manager = dice.pick(UPDATERS);
  const part = subject.resource.custom && dice.chance(0.5) ? subject.whole(dice) : subject.part(dice);
  const spec = subject.resource.custom
    ? part['spec']
    : { ...(isObject(live['spec']) ? live['spec'] : {}), ...without(part['spec'], 'template') };
  const { spec: _spec, metadata: _metadata, ...rest } = part;
  const { managedFields, ...metadata } = live.metadata;
  const keeps = dice.chance(0.5) && managedFields !== undefined;
  const body: JsonObject = {
    ...live,
    ...rest,
    ...(part['spec'] === undefined ? {} : { spec }),
    metadata: { ...metadata, ...metaOf(part), ...(keeps ? { managedFields } : {}) },
  };
  const request: ApiRequest = { method: 'PUT', path: pathOf(subject, name, '', `fieldManager=${manager}`), body };
  return { type: 'put', name, manager, subresource: '', force: false, body, request };
}

function without(value: Json | undefined, key: string): JsonObject {
  return isObject(value) ? Object.fromEntries(Object.entries(value).filter(([name]) => name !== key)) : {};
}

function status(dice: Dice, subject: Subject, { name }: ObjectState): OwnershipRequest {
  return patch({ dice, subject, name }, 'status', {
    metadata: { labels: { ignored: 'x' } },
    spec: { color: 'ignored' },
    status: subject.status?.(dice) ?? {},
  });
}

function merge(dice: Dice, subject: Subject, { name }: ObjectState, edit: JsonObject): OwnershipRequest {
  const part = Object.keys(edit).length > 0 ? edit : subject.part(dice);
  const body = Object.keys(edit).length === 0 && dice.chance(0.4) ? nulled(part, dice.pick(subject.removable)) : part;
  return patch({ dice, subject, name }, '', body);
}

interface Patching {
  readonly dice: Dice;
  readonly subject: Subject;
  readonly name: string;
}

function patch({ dice, subject, name }: Patching, subresource: string, body: JsonObject): OwnershipRequest {
  const manager = dice.pick(UPDATERS);
  const path = pathOf(subject, name, subresource, `fieldManager=${manager}`);
  const request: ApiRequest = { method: 'PATCH', path, body, contentType: 'application/merge-patch+json' };
  return { type: 'merge', name, manager, subresource, force: false, body, request };
}

function nulled(part: JsonObject, [first, ...rest]: readonly string[]): JsonObject {
  if (first === undefined) return part;
  const child = part[first];
  return { ...part, [first]: rest.length === 0 ? null : nulled(isObject(child) ? child : {}, rest) };
}

function json(dice: Dice, subject: Subject, { name }: ObjectState): OwnershipRequest {
  const manager = dice.pick(UPDATERS);
  const part = subject.part(dice);
  const spec = isObject(part['spec']) ? part['spec'] : {};
  const sets = Object.entries(spec)
    .filter(([key]) => key !== 'template')
    .map(([key, value]) => ({ op: dice.pick(['add', 'replace']), path: `/spec/${key}`, value: value ?? null }));
  const gone = dice.some(subject.removable, 1).map((parts) => ({ op: 'remove', path: `/${parts.join('/')}` }));
  const body: Json = dice.chance(0.5) ? sets : [...gone, ...sets];
  const path = pathOf(subject, name, '', `fieldManager=${manager}`);
  const request: ApiRequest = { method: 'PATCH', path, body, contentType: 'application/json-patch+json' };
  return { type: 'json', name, manager, subresource: '', force: false, body, request };
}

function strategic(dice: Dice, subject: Subject, { name, live }: ObjectState & { live: KubeObject }): OwnershipRequest {
  const manager = dice.pick(UPDATERS);
  const part = subject.part(dice);
  const body = directed(dice, dice.chance(0.3) ? nulled(part, dice.pick(subject.removable)) : part, live);
  const path = pathOf(subject, name, '', `fieldManager=${manager}`);
  const request: ApiRequest = { method: 'PATCH', path, body, contentType: 'application/strategic-merge-patch+json' };
  return { type: 'strategic', name, manager, subresource: '', force: false, body, request };
}

/** Adds directives of strategic merge patches: items to delete, an order, keys to retain. */
function directed(dice: Dice, value: JsonObject, live: Json | undefined): JsonObject {
  const old = isObject(live) ? live : {};
  const entries = Object.entries(value).flatMap(([key, child]): [string, Json][] => {
    if (isObject(child)) {
      const inner = directed(dice, child, old[key]);
      return [[key, key === 'strategy' ? { $retainKeys: Object.keys(child), ...inner } : inner]];
    }
    if (!Array.isArray(child) || !['containers', 'env', 'volumes'].includes(key)) return [[key, child ?? null]];
    return directedList(dice, key, child, old[key]);
  });
  return Object.fromEntries(entries);
}

function directedList(dice: Dice, key: string, items: readonly Json[], live: Json | undefined): [string, Json][] {
  const names = (list: readonly Json[]): Json[] =>
    list.flatMap((item) => (isObject(item) && typeof item['name'] === 'string' ? [item['name']] : []));
  const given = names(items);
  const gone = names(Array.isArray(live) ? live : []).filter((name) => !given.includes(name) && dice.chance(0.5));
  const list: Json[] = [...items, ...gone.map((name): Json => ({ $patch: 'delete', name }))];
  const others = names(Array.isArray(live) ? live : []).filter(
    (name) => !given.includes(name) && !gone.includes(name) && dice.chance(0.7),
  );
  const order = dice.chance(0.5)
    ? [[`$setElementOrder/${key}`, [...others, ...given].map((name): Json => ({ name }))] as [string, Json]]
    : [];
  if (dice.chance(0.1)) return [[key, [{ $patch: 'replace' }, ...items]]];
  return [[key, list], ...order];
}

function remove(subject: Subject, { name, configurations }: ObjectState): OwnershipRequest {
  for (const key of configurations.keys()) if (key.startsWith(`${name}/`)) configurations.delete(key);
  const request: ApiRequest = { method: 'DELETE', path: `${subject.path}/${name}` };
  return { type: 'delete', name, manager: '', subresource: '', force: false, body: null, request };
}
