import type { Transport } from '../../runtime/transport/transport.js';
import type { ReadClient } from '../../runtime/client/client.js';
import { isRecord } from '../../runtime/vocabulary/json.js';
import type { EventsPart, ObjectYaml, Rights, Session, Withheld } from '../wire/answer.js';
import type { Meaning } from '../wire/find.js';
import { COLORING, isSort } from '../wire/fleet.js';
import type { PlannedPart } from '../wire/plan.js';
import { ManagedClusters, Placements } from '../../api/resources.js';
import { createClient } from '../../runtime/client/rest.js';
import { nameOf } from '../../answers/plan/changed.js';
import { WORLD_RESOURCES, type WorldResource } from '../../answers/world/world.js';
import type { ObjectName } from '../../runtime/vocabulary/meta.js';
import { keyOf } from '../../runtime/vocabulary/names.js';
import { objectText } from './manifest.js';
import { applyAnswer } from './apply.js';
import { clusterAnswer } from '../../answers/cluster.js';
import { DEFINITIONS_REMEDY, unreadText } from '../../answers/undecided.js';
import { engineAnswer, newestEvents, setAnswer } from './engine.js';
import { findAnswer } from './fleet/find.js';
import { fleetAnswer, fleetKeys } from './fleet/fleet.js';
import { fleetMap, planMap } from './fleet/fleetmap.js';
import { isShow, matrixAnswer, whyAnswer } from './matrix.js';
import { placementAnswer, placementsAnswer } from './placements.js';
import { listKey, planAnswer } from './plan.js';
import type { Planner } from './planner.js';
import { aboutIn, draftIn, groupIn, RequestError, windowOf } from './requests.js';
import { type Current, type Snapshot, type Snapshots, versionOf } from './snapshot.js';

/** The API of the console, one row a route. */

/** What answers are made of. */
export interface Hub {
  readonly snapshots: Snapshots;
  readonly client: ReadClient;
  readonly transport: Pick<Transport, 'call'>;
  readonly session: Session;
  /** The only namespace that is read; undefined: all. */
  readonly namespace: string | undefined;
  readonly planner: Planner;
}

export interface Request {
  /** What follows of the path, decoded. */
  readonly path: readonly string[];
  readonly query: URLSearchParams;
  /** The JSON of the body; undefined without one. */
  readonly body: unknown;
  /** Path and query, by which its answer is kept. */
  readonly address: string;
  /** Fires when nobody waits for the answer any more. */
  readonly gone: AbortSignal;
}

/** The data of an answer, and what of it is missing besides what of the snapshot is. */
export interface Found {
  readonly current: Current;
  readonly data: object;
  readonly withheld?: readonly Withheld[];
}

export interface Route {
  readonly method: 'GET' | 'POST';
  /** `*` stands for one segment. */
  readonly path: readonly string[];
  readonly answer: (hub: Hub, request: Request) => Promise<Found>;
}

/** Of what somebody writes in the box; names of objects are shorter. */
const MOST_TEXT = 600;

export const ROUTES: readonly Route[] = [
  get('fleet', (snapshot, { query }) => {
    const sort = query.get('sort') ?? 'name';
    const [by = '', order] = sort.split('-');
    if (!isSort(by)) throw new RequestError(400, `sort: ${JSON.stringify(sort)}: unknown`);
    return fleetAnswer(snapshot, {
      query: query.get('q') ?? '',
      sort: by,
      descending: order === 'desc',
      ...windowOf(query),
    });
  }),
  get('fleet/map', (snapshot, { query }) => {
    const color = query.get('color') ?? 'health';
    if (!COLORING.test(color)) throw new RequestError(400, `color: ${JSON.stringify(color)}: unknown`);
    const [namespace = '', name = ''] = color.slice(color.indexOf(':') + 1).split('/');
    const map = fleetMap(snapshot, { query: query.get('q') ?? '', group: groupIn(query), color });
    return existing(map, () => absence(snapshot, 'placements', { namespace, name }));
  }),
  get('fleet/keys', fleetKeys),
  get('find', (snapshot, { query }) =>
    findAnswer(snapshot, (query.get('q') ?? '').slice(0, MOST_TEXT), query.get('ask') ?? ''),
  ),
  get('engine', engineAnswer),
  get('sets/*', (snapshot, { path: [name = ''] }) =>
    existing(setAnswer(snapshot, name), () => absence(snapshot, 'managedclustersets', { name })),
  ),
  get('placements', (snapshot, { query }) => placementsAnswer(snapshot, query.get('q') ?? '')),
  get('placements/*/*', (snapshot, { path: [namespace = '', name = ''] }) =>
    existing(placementAnswer(snapshot, namespace, name), () => absence(snapshot, 'placements', { namespace, name })),
  ),
  get('placements/*/*/matrix', (snapshot, { path: [namespace = '', name = ''], query }) => {
    const show = query.get('show') ?? 'in';
    if (!isShow(show)) throw new RequestError(400, `show: ${JSON.stringify(show)}: unknown`);
    const request = { show, query: query.get('q') ?? '', ...windowOf(query) };
    const matrix = matrixAnswer(snapshot, [namespace, name], request);
    return existing(matrix, () => absence(snapshot, 'placements', { namespace, name }));
  }),
  get('placements/*/*/why/*', (snapshot, { path: [namespace = '', name = '', cluster = ''] }) =>
    existing(whyAnswer(snapshot, namespace, name, cluster), () =>
      absence(snapshot, 'managedclusters', { name: cluster }),
    ),
  ),
  get('clusters/*', (snapshot, { path: [name = ''] }) =>
    existing(clusterAnswer(snapshot.world, name), () => absence(snapshot, 'managedclusters', { name })),
  ),
  get('yaml/*/*', (snapshot, { path: [resource = '', name = ''] }) => yamlOf(snapshot, resource, { name })),
  get('yaml/*/*/*', (snapshot, { path: [resource = '', namespace = '', name = ''] }) =>
    yamlOf(snapshot, resource, { namespace, name }),
  ),
  get('reading', ({ reading }) => ({ version: versionOf(reading) })),
  { method: 'GET', path: ['events'], answer: eventsFound },
  { method: 'GET', path: ['rights'], answer: rightsFound },
  { method: 'POST', path: ['plan'], answer: planFound },
  { method: 'GET', path: ['plan', '*', 'placements', '*', '*', '*'], answer: planPartFound },
  { method: 'GET', path: ['plan', '*', 'map'], answer: planMapFound },
  { method: 'POST', path: ['apply'], answer: applyFound },
];

function get(path: string, data: (snapshot: Snapshot, request: Request) => object): Route {
  return {
    method: 'GET',
    path: path.split('/'),
    answer: async ({ snapshots }, request) => {
      const current = await snapshots.current();
      return { current, data: current.snapshot.answer(request.address, () => data(current.snapshot, request)) };
    },
  };
}

async function eventsFound({ snapshots, client, namespace }: Hub, { query }: Request): Promise<Found> {
  const about = aboutIn(query);
  const current = await snapshots.current();
  const scope = namespace ?? current.snapshot.reading.namespace;
  const { after, limit } = windowOf(query);
  const text = (name: string): string => query.get(name) ?? '';
  const request = { about, query: text('q'), type: text('type') };
  const { rows, withheld } = await newestEvents(client, scope, request);
  const data: EventsPart = { total: rows.length, rows: rows.slice(after, after + limit) };
  return { current, data, ...(withheld && { withheld: [withheld] }) };
}

/** Whether the person may do what an action needs; the API server judges the write anyway. */
async function rightsFound({ snapshots, transport }: Hub, { query }: Request): Promise<Found> {
  const [namespace, name] = [query.get('namespace') ?? '', query.get('name') ?? ''];
  const type = namespace === '' ? ManagedClusters : Placements;
  const access = { verb: 'patch', type, name, ...(namespace !== '' && { namespace }) };
  const data: Rights = { patch: await createClient(transport).allowed(access) };
  return { current: await snapshots.current(), data };
}

async function planFound({ snapshots, session, planner }: Hub, { body, gone }: Request): Promise<Found> {
  const draft = draftIn(body);
  const current = await snapshots.current();
  const planned = await planner.plan(current.snapshot, draft, { namespace: session.namespace, gone });
  return { current, data: planAnswer(planned, draft) };
}

/** A part of a list of a plan that was sent before, whatever has moved since. */
async function planPartFound({ snapshots, planner }: Hub, { path, query }: Request): Promise<Found> {
  const [basedOn = '', namespace = '', name = '', sign = ''] = path;
  const { after, limit } = windowOf(query);
  const current = await snapshots.current();
  const list = planner.listOf(basedOn, listKey(`${namespace}/${name}`, sign), current.snapshot.reading);
  if (list === undefined) throw planGone();
  const data: PlannedPart = { listed: list.length, rows: list.slice(after, after + limit) };
  return { current, data };
}

/** The fleet, colored by a plan that was sent before. */
async function planMapFound({ snapshots, planner }: Hub, { path, query, address }: Request): Promise<Found> {
  const current = await snapshots.current();
  const marks = planner.marksOf(path[0] ?? '', current.snapshot.reading);
  if (marks === undefined) throw planGone();
  const map = (): object => existing(planMap(current.snapshot, groupIn(query), marks), planGone);
  return { current, data: current.snapshot.answer(address, map) };
}

function planGone(): RequestError {
  return new RequestError(404, 'this plan is not kept any more: change the draft to plan it again');
}

/** Applies a draft, or tries to. It reads the hub anew before the writes, and after them, also where they fail. */
async function applyFound({ snapshots, session, transport, planner }: Hub, { body, gone }: Request): Promise<Found> {
  if (!isRecord(body) || typeof body['basedOn'] !== 'string' || typeof body['dryRun'] !== 'boolean')
    throw new RequestError(400, 'want draft, basedOn and dryRun');
  const { basedOn, dryRun } = body;
  const wanted = draftIn(body['draft']);
  if (!dryRun) snapshots.expire();
  const current = await snapshots.current();
  if (current.stale !== undefined) throw new RequestError(503, `the hub cannot be read: ${current.stale}`);
  const planned = await planner.plan(current.snapshot, wanted, { namespace: session.namespace, gone });
  try {
    return { current, data: await applyAnswer(transport, planned, { basedOn, dryRun }) };
  } finally {
    if (!dryRun) snapshots.expire();
  }
}

function yamlOf(snapshot: Snapshot, plural: string, named: ObjectName): ObjectYaml {
  const resource = WORLD_RESOURCES.find((one) => one === plural);
  if (resource === undefined) throw new RequestError(404, `kind ${JSON.stringify(plural)} is not shown`);
  const found = snapshot.world.objects[resource].find(({ metadata }) => keyOf(metadata) === keyOf(named));
  return { text: objectText(existing(found, () => absence(snapshot, resource, named))) };
}

/** The kinds of which one may have been meant. */
const MEANINGS: Readonly<Partial<Record<WorldResource, Meaning['kind']>>> = {
  placements: 'placement',
  managedclusters: 'cluster',
  managedclustersets: 'set',
};
const MOST_MEANT = 3;
/** The hub does not serve the kind: whether there is the object is not known. */
const NOT_SERVED = 424;

function existing<T>(found: T | undefined, why: () => RequestError): T {
  if (found === undefined) throw why();
  return found;
}

/** The error for an object that was not found: of what may not be read it does not say that it does not exist. */
function absence(snapshot: Snapshot, resource: WorldResource, named: ObjectName): RequestError {
  const { world, reading } = snapshot;
  const { namespace } = named;
  const what = nameOf(resource, named);
  const { namespace: only = namespace } = reading;
  if (namespace !== undefined && only !== namespace)
    return new RequestError(403, `only namespace ${only} is read: whether there is ${what} is not known`);
  const unread = world.withheld.find((one) => one.resource === resource);
  const meant = findAnswer(snapshot, named.name).rows.filter(({ kind }) => kind === MEANINGS[resource]);
  if (unread === undefined) return new RequestError(404, `${what} was not found`, {}, meant.slice(0, MOST_MEANT));
  const text = `${unreadText(unread)}: whether there is ${what} is not known`;
  if (unread.status === 403) return new RequestError(403, text);
  return new RequestError(NOT_SERVED, `${text}; to help: ${DEFINITIONS_REMEDY}`);
}

/** The route of a path, and the segments that its stars stand for. */
export function routeOf(
  method: string,
  segments: readonly string[],
): { readonly route: Route; readonly path: readonly string[] } | undefined {
  const route = ROUTES.find(
    (one) =>
      one.method === method &&
      one.path.length === segments.length &&
      one.path.every((part, index) => part === '*' || part === segments[index]),
  );
  return route && { route, path: segments.filter((_, index) => route.path[index] === '*') };
}
