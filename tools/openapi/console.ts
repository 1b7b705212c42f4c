import { ROUTES } from '../../src/console/server/routes.js';
import { SORTS } from '../../src/console/wire/fleet.js';
import { SHOWS } from '../../src/console/wire/placement.js';
import { ALL_TOPICS, BEAT_EVENT, MOST_TOPICS } from '../../src/console/wire/topics.js';
import { refTo, type JsonSchema } from './jsonschema.js';
import { wireSchemas } from './wiretypes.js';

/** The OpenAPI document of the console: paths from the table of its routes, schemas from the types of its answers. */

export interface ConsoleSources {
  /** Release of this program. */
  readonly version: string;
  /** The folder of the types of the API. */
  readonly wire: string;
}

const DESCRIPTION = `
What the console of a hub shows: the fleet, each Placement and why a cluster is in or out, and what a change would do. Every
answer is computed from one reading of the hub with the token of the caller, and names in withheld what that token may not
list. The ETag is of the data and of withheld. Without a browser, the token is sent in the header Authorization.
`
  .trim()
  .replaceAll('\n', ' ');

interface Described {
  readonly summary: string;
  /** The type of the data, a name of the wire types. */
  readonly data: JsonSchema;
  /** Names of parameters of the query. */
  readonly query?: readonly string[];
  /** The type of the body. */
  readonly body?: string;
}

const list = (name: string): JsonSchema => ({ type: 'array', items: refTo(name) });

/** Each route, `{}` where it has a `*`. */
const OPERATIONS: Readonly<Record<string, Described>> = {
  'GET fleet': {
    summary: 'Clusters that a query matches, and how many there are by health.',
    query: ['q', 'sort', 'limit', 'after'],
    data: refTo('Fleet'),
  },
  'GET fleet/map': {
    summary: 'The name and health of each cluster that a query matches, by group.',
    query: ['q', 'group'],
    data: refTo('FleetMap'),
  },
  'GET fleet/keys': { summary: 'Keys and values of labels and claims, with counts.', data: list('Key') },
  'GET engine': { summary: 'Engines with their components, and the cluster sets.', data: refTo('EngineView') },
  'GET sets/{name}': {
    summary: 'One cluster set: its members, and the bindings to namespaces.',
    query: ['limit', 'after'],
    data: refTo('SetMembers'),
  },
  'GET placements': { summary: 'Placements by phase.', query: ['q'], data: refTo('Placements') },
  'GET placements/{namespace}/{name}': {
    summary: 'One Placement: the way from the fleet into its decision, spread, scores, groups and history.',
    data: refTo('PlacementView'),
  },
  'GET placements/{namespace}/{name}/matrix': {
    summary: 'Clusters against the requirements of one Placement.',
    query: ['show', 'q', 'limit', 'after'],
    data: refTo('Matrix'),
  },
  'GET placements/{namespace}/{name}/why/{cluster}': {
    summary: 'Why one cluster is in or out, as `explain --cluster` says it.',
    data: refTo('WhyCluster'),
  },
  'GET clusters/{name}': {
    summary: 'One cluster, and the Placements that select or match it.',
    data: refTo('ClusterView'),
  },
  'GET clusters/{name}/drain': { summary: 'What a drain of the cluster would move.', data: refTo('DrainPreview') },
  'GET schema': { summary: 'The fields of a Placement.', data: list('SchemaField') },
  'GET events': { summary: 'What has happened in the last hour.', query: ['about'], data: refTo('Events') },
  'POST plan': {
    summary: 'What a draft would change of each Placement. Nothing is written.',
    body: 'Draft',
    data: refTo('PlanAnswer'),
  },
  'POST apply': {
    summary: 'Writes a draft whose plan was read, with the rights of the caller, or tries it.',
    body: 'ApplyRequest',
    data: refTo('ApplyAnswer'),
  },
};

const INDEX = { type: 'integer', minimum: 0 };
const PARAMETERS: Readonly<Record<string, { readonly description: string; readonly schema: JsonSchema }>> = {
  q: {
    description:
      'Terms, separated by blanks, such as `set:production label:tier=gold health:silent`; of Placements and of a matrix, a part of the name.',
    schema: { type: 'string' },
  },
  sort: {
    description: 'By what the rows are sorted; with `-desc` the other way around.',
    schema: { enum: SORTS.flatMap((one) => [one, `${one}-desc`]) },
  },
  limit: { description: 'How many rows.', schema: { ...INDEX, maximum: 500, default: 100 } },
  after: { description: 'The index of the first row.', schema: { ...INDEX, default: 0 } },
  group: {
    description: 'By what clusters are grouped.',
    schema: { type: 'string', pattern: '^(set|health|(label|claim):.+)$', default: 'set' },
  },
  show: { description: 'Which clusters.', schema: { enum: SHOWS, default: 'in' } },
  about: { description: 'Only events about this object.', schema: { type: 'string' } },
};

/** What every request can be answered with, besides data. */
const ERRORS: Readonly<Record<string, string>> = {
  400: 'A parameter or the body is not valid; the message names it.',
  401: 'There is no session, or the API server does not accept the token.',
  403: 'Another site asks, or nothing shows that a page of the console does; or what is asked for may not be read.',
  404: 'The object or the path does not exist, or may not be read.',
  413: 'The body is too long.',
  415: 'The body is not JSON.',
  421: 'The host name is not one of the serving certificate.',
  429: 'Too many requests or streams of this person, or too many refused tokens of this address. Retry-After says when again.',
  500: 'A fault of the console.',
  502: 'The API server has refused what the answer needs.',
  503: 'The API server cannot be reached, or too many persons read at once. Retry-After says when again.',
};

/** @throws Error for a route without a description, a description without a route, and a type without a schema. */
export function consoleDocument({ version, wire }: ConsoleSources): JsonSchema {
  const routes = ROUTES.map(({ method, path }) => `${method} ${path.join('/')}`);
  const paths: Record<string, Record<string, JsonSchema>> = {};
  for (const [key, described] of Object.entries(OPERATIONS)) {
    const at = routes.indexOf(key.replaceAll(/\{\w+\}/g, '*'));
    if (at < 0) throw new Error(`${key}: is no route of the console`);
    routes.splice(at, 1);
    const [method = '', path = ''] = key.split(' ');
    paths[`/api/v1/${path}`] = { ...paths[`/api/v1/${path}`], [method.toLowerCase()]: operation(path, described) };
  }
  if (routes.length > 0) throw new Error(`${routes.join(', ')}: has no description in tools/openapi/console.ts`);
  return {
    openapi: '3.1.0',
    info: {
      title: 'Multicluster engine console',
      version,
      description: DESCRIPTION,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/', description: 'The console of a hub; HTTPS only.' }],
    security: [{ session: [] }, { bearer: [] }],
    paths: { '/api/v1/session': SESSION, '/api/v1/stream': STREAM, '/api/v1/openapi.json': DOCUMENT, ...paths },
    components: {
      securitySchemes: {
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: '__Host-console',
          description: 'Of a browser that has logged in.',
        },
        bearer: { type: 'http', scheme: 'bearer', description: 'A token of the hub, in the place of the session.' },
      },
      responses: Object.fromEntries(
        Object.entries(ERRORS).map(([code, description]) => [`Code${code}`, answered(description, refTo('Status'))]),
      ),
      schemas: wireSchemas(wire),
    },
  };
}

function operation(path: string, { summary, data, query = [], body }: Described): JsonSchema {
  const segments = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }));
  const parameters = [...segments, ...query.map((name) => ({ name, in: 'query', ...PARAMETERS[name] }))];
  const schema = { allOf: [refTo('Answer'), { type: 'object', properties: { data } }] };
  return {
    summary,
    ...(parameters.length > 0 && { parameters }),
    ...(body !== undefined && { requestBody: jsonBody(refTo(body)) }),
    responses: {
      200: { ...answered('The data.', schema), headers: HEADERS },
      304: { description: 'Nothing has changed since the reading with this ETag.', headers: HEADERS },
      ...errors(),
    },
  };
}

const HEADERS = {
  ETag: { description: 'Of the data and of withheld.', schema: { type: 'string' } },
  'As-Of': { description: 'When the hub was read, RFC 3339.', schema: { type: 'string' } },
};

const SESSION: JsonSchema = {
  get: { summary: 'Whose session it is.', responses: { 200: answered('The session.', refTo('Session')), ...errors() } },
  post: {
    summary: 'Opens a session in the cookies of the browser.',
    security: [],
    requestBody: jsonBody({
      type: 'object',
      properties: {
        token: { type: 'string', description: 'A token of the hub.' },
        namespace: {
          type: 'string',
          description: 'What is read where Placements of all namespaces may not be listed.',
        },
      },
      required: ['token'],
    }),
    responses: { 200: answered('The session.', refTo('Session')), ...errors() },
  },
  delete: {
    summary: 'Ends the session of the browser.',
    responses: { 200: answered('It has ended.', { type: 'object', maxProperties: 0 }), ...errors() },
  },
};

const STREAM: JsonSchema = {
  get: {
    summary: 'Server-sent events with the names of topics that have changed, never with what is in them.',
    parameters: [
      {
        name: 'topics',
        in: 'query',
        required: true,
        description: `At most ${MOST_TOPICS}: fleet, placements, plan, engine, events, placement:NAMESPACE/NAME, matrix:NAMESPACE/NAME, cluster:NAME.`,
        style: 'form',
        explode: false,
        schema: { type: 'array', items: { type: 'string' }, minItems: 1, maxItems: MOST_TOPICS },
      },
      {
        name: 'after',
        in: 'query',
        description: 'The id of the last event, where the header Last-Event-ID does not have it.',
        schema: { type: 'string' },
      },
    ],
    responses: {
      200: {
        description: `The data of an event is a list of topics, or ["${ALL_TOPICS}"]; an event ${BEAT_EVENT} says when the hub was read.`,
        content: { 'text/event-stream': { schema: { type: 'string' } } },
      },
      ...errors(),
    },
  },
};

const DOCUMENT: JsonSchema = {
  get: {
    summary: 'This description.',
    security: [],
    responses: { 200: answered('OpenAPI 3.1.', { type: 'object' }), 421: { $ref: '#/components/responses/Code421' } },
  },
};

function answered(description: string, schema: JsonSchema): JsonSchema {
  return { description, content: { 'application/json': { schema } } };
}

function jsonBody(schema: JsonSchema): JsonSchema {
  return { required: true, content: { 'application/json': { schema } } };
}

function errors(): JsonSchema {
  return Object.fromEntries(Object.keys(ERRORS).map((code) => [code, { $ref: `#/components/responses/Code${code}` }]));
}
