import type { ResourceType } from '../../runtime/vocabulary/meta.js';
import { MultiClusterEngines, Placements } from '../../api/resources.js';

/**
 * `openapi`, `live` and `ready` are answered by the gateway itself. `decision` and `parameters`, which is what the plugin generator
 * of Argo CD asks for, are answered from reads of the API server. The others are sent to it.
 */
export type Action =
  | 'create'
  | 'list'
  | 'get'
  | 'update'
  | 'delete'
  | 'decision'
  | 'parameters'
  | 'openapi'
  | 'live'
  | 'ready';
export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

export interface Operation {
  /** Unique: `operationId` of the OpenAPI document. */
  readonly id: string;
  readonly method: Method;
  readonly action: Action;
  readonly summary: string;
}

/** One path. The router, the OpenAPI document, the metrics, the access log and the tests all use this table. */
export interface Route {
  /** With parameters in braces. */
  readonly template: string;
  /** The resource of the path; absent for paths that the gateway answers by itself. */
  readonly resource?: ResourceType;
  readonly operations: readonly Operation[];
}

/** The route of a path, and its parameters. */
export interface RouteMatch {
  readonly route: Route;
  readonly namespace?: string;
  readonly name?: string;
}

const BASE = '/platform';
const LABEL = /^[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?$/;
const MAX_NAME = 253;

const ENGINES = `${BASE}/apis/${MultiClusterEngines.group}/${MultiClusterEngines.version}/${MultiClusterEngines.plural}`;
const PLACEMENTS = `${Placements.group}/${Placements.version}/namespaces/{namespace}/${Placements.plural}`;

/** All paths. The interface has Placements without `/apis`; they are served with it too, as its base path has it. */
export const ROUTES: readonly Route[] = [
  {
    template: ENGINES,
    resource: MultiClusterEngines,
    operations: collectionOperations('Engine', 'every engine', 'an engine'),
  },
  { template: `${ENGINES}/{name}`, resource: MultiClusterEngines, operations: objectOperations('Engine', 'an engine') },
  ...['', 'Apis'].flatMap((suffix) => {
    const collectionPath = `${BASE}${suffix === '' ? '' : '/apis'}/${PLACEMENTS}`;
    return [
      {
        template: collectionPath,
        resource: Placements,
        operations: collectionOperations(`Placement${suffix}`, 'every placement of a namespace', 'a placement'),
      },
      {
        template: `${collectionPath}/{placement_name}`,
        resource: Placements,
        operations: objectOperations(`Placement${suffix}`, 'a placement'),
      },
      ...decisionRoutes(`${collectionPath}/{placement_name}/decision`, suffix),
    ];
  }),
  localRoute(`${BASE}/openapi.json`, 'openapi', 'This description.'),
  localRoute('/livez', 'live', 'Whether the process is alive.'),
  localRoute('/readyz', 'ready', 'Whether the gateway can serve.'),
];

const SEGMENTS = new Map(ROUTES.map((route) => [route, route.template.split('/')]));
const MOST_SEGMENTS = Math.max(...[...SEGMENTS.values()].map((segments) => segments.length));

/**
 * The route of a path; undefined when there is none. Nothing is decoded: a segment equals the literal of the table or,
 * for a parameter, is a DNS name, so that no percent-encoded path is ever accepted.
 */
export function matchRoute(path: string): RouteMatch | undefined {
  const given = path.split('/', MOST_SEGMENTS + 1);
  for (const [route, segments] of SEGMENTS) {
    const match = given.length === segments.length ? matchSegments(route, segments, given) : undefined;
    if (match !== undefined) return match;
  }
  return undefined;
}

/** The operation of a method on a route; undefined when the route does not have the method. */
export function operationOf(route: Route, method: string): Operation | undefined {
  return route.operations.find((one) => one.method === method);
}

/** A DNS-1123 label. */
export function isLabel(text: string): boolean {
  return LABEL.test(text);
}

/** A DNS-1123 subdomain of at most 253 characters. */
export function isSubdomain(text: string): boolean {
  return text.length <= MAX_NAME && text.split('.').every(isLabel);
}

function matchSegments(route: Route, segments: readonly string[], given: readonly string[]): RouteMatch | undefined {
  const found: { namespace?: string; name?: string } = {};
  for (const [index, segment] of segments.entries()) {
    const text = given[index] ?? '';
    if (segment === '{namespace}') {
      if (!isLabel(text)) return undefined;
      found.namespace = text;
    } else if (segment.startsWith('{')) {
      if (!isSubdomain(text)) return undefined;
      found.name = text;
    } else if (segment !== text) {
      return undefined;
    }
  }
  return { route, ...found };
}

function collectionOperations(noun: string, all: string, one: string): Operation[] {
  return [
    { id: `list${noun}s`, method: 'GET', action: 'list', summary: `Lists ${all}.` },
    { id: `create${noun}`, method: 'POST', action: 'create', summary: `Creates ${one}.` },
  ];
}

function objectOperations(noun: string, one: string): Operation[] {
  return [
    { id: `get${noun}`, method: 'GET', action: 'get', summary: `Reads ${one}.` },
    {
      id: `update${noun}`,
      method: 'PUT',
      action: 'update',
      summary: `Replaces ${one}, given the resourceVersion that was read.`,
    },
    { id: `delete${noun}`, method: 'DELETE', action: 'delete', summary: `Deletes ${one}.` },
  ];
}

/** The controller of Argo CD appends its own path to the one that it is given. */
function decisionRoutes(path: string, suffix: string): Route[] {
  const decision = { id: `getPlacement${suffix}Decision`, method: 'GET', action: 'decision' } as const;
  const parameters = { id: `getPlacement${suffix}Parameters`, method: 'POST', action: 'parameters' } as const;
  return [
    {
      template: path,
      resource: Placements,
      operations: [{ ...decision, summary: 'Reads the selected clusters of a placement.' }],
    },
    {
      template: `${path}/api/v1/getparams.execute`,
      resource: Placements,
      operations: [{ ...parameters, summary: 'Reads them as the plugin generator of Argo CD does.' }],
    },
  ];
}

function localRoute(template: string, action: Action, summary: string): Route {
  return { template, operations: [{ id: action, method: 'GET', action, summary }] };
}
