import { MultiClusterEngines, Placements } from '../../src/api/resources.js';
import { checkLength } from '../../src/gateway/request/body.js';
import {
  methodNotAllowed,
  errorForConnect,
  errorForHead,
  errorForClientError,
  errorForPath,
} from '../../src/gateway/response/parseerror.js';
import { isObject, type Json, type JsonObject } from '@multicluster-engine/values/json';
import {
  parseBody,
  withResourceVersion,
  type BodyObject,
  validateCreate,
  validateTarget,
} from '../../src/gateway/request/objectbody.js';
import { checkHeaders, headerMap } from '../../src/gateway/request/headers.js';
import { formatOf } from '../../src/gateway/request/media.js';
import { checkConditionalHeaders, ifMatchRevision } from '../../src/gateway/request/precondition.js';
import { StatusError } from '../../src/gateway/statuserror.js';
import { ROUTES } from '../../src/gateway/request/routes.js';
import { tokenOf } from '../../src/gateway/server/requesthead.js';
import { describeRecorded, type Case } from './recorded.js';

/** The kind and the detail of the refusal that `run` throws or returns; an Error where there is none. */
function refused(sentence: string, run: () => unknown): Case {
  return [
    sentence,
    () => {
      const { kind, detail } = refusalOf(run);
      return { kind, ...detail };
    },
  ];
}

function refusalOf(run: () => unknown): StatusError {
  try {
    const made = run();
    if (made instanceof StatusError) return made;
  } catch (error) {
    if (error instanceof StatusError) return error;
    throw error;
  }
  throw new Error('nothing was refused');
}

function headersCase(
  sentence: string,
  raw: readonly string[],
  check: (headers: ReturnType<typeof headerMap>) => unknown = (headers) => checkHeaders(headers, '1.1'),
): Case {
  return refused(`a request with ${sentence}`, () => check(headerMap(raw)));
}

const headers: readonly Case[] = [
  refused('a request in HTTP/1.0', () => checkHeaders(headerMap(['Host', 'a']), '1.0')),
  headersCase('101 header fields', Array.from({ length: 101 }, (_, index) => [`X-${index}`, '1']).flat()),
  headersCase('two hosts', ['Host', 'a', 'Host', 'b']),
  headersCase('an upgrade', ['Host', 'a', 'Upgrade', 'h2c']),
  headersCase('no host', []),
  headersCase('another transfer coding', ['Host', 'a', 'Transfer-Encoding', 'gzip']),
  headersCase('another expectation', ['Host', 'a', 'Expect', 'x']),
  headersCase('an origin of another site', ['Host', 'a', 'Origin', 'https://b']),
  headersCase('no token', [], tokenOf),
  headersCase('a compressed body', ['Content-Encoding', 'gzip'], formatOf),
  headersCase('a content type that is not known', ['Content-Type', 'text/html'], formatOf),
  headersCase('a body that is announced as too large', ['Content-Length', '1048577'], checkLength),
  headersCase('If-None-Match', ['If-None-Match', '*'], (map) => checkConditionalHeaders(map, 'get')),
  headersCase('If-Match for a get', ['If-Match', '"1"'], (map) => checkConditionalHeaders(map, 'get')),
  headersCase('an If-Match that is no entity tag', ['If-Match', 'W/"1"'], ifMatchRevision),
  headersCase('an If-Match that is no revision', ['If-Match', '"0"'], ifMatchRevision),
];

function parserError(code: string): NodeJS.ErrnoException {
  return Object.assign(new Error('parse error'), { code });
}

const broken: readonly Case[] = [
  refused('a request that does not arrive in time', () => errorForClientError(parserError('ERR_HTTP_REQUEST_TIMEOUT'))),
  refused('a head that is too large', () => errorForClientError(parserError('HPE_HEADER_OVERFLOW'))),
  refused('a token with a control character', () =>
    errorForHead({ text: 'GET /livez HTTP/1.1\r\nHost: a\r\nCookie: \x01\r\n\r\n', complete: true }),
  ),
  refused('a request that is no HTTP', () =>
    errorForClientError(parserError('HPE_INVALID_CONSTANT'), { text: 'x', complete: false }),
  ),
  refused('a method that does not exist, of no path', () => errorForPath('/x')),
  refused('a method that does not exist, of a path', () => errorForPath('/livez')),
  refused('CONNECT', () => errorForConnect('example.com:443')),
  ...ROUTES.map((route) => refused(`another method of ${route.template}`, () => methodNotAllowed(route))),
];

function bodyCase(sentence: string, format: 'json' | 'yaml', text: string | Uint8Array): Case {
  return refused(`a ${format === 'json' ? 'JSON' : 'YAML'} body ${sentence}`, () =>
    parseBody(typeof text === 'string' ? Buffer.from(text) : text, format),
  );
}

const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);

const bodies: readonly Case[] = [
  bodyCase('that is no UTF-8', 'json', Uint8Array.of(0xff)),
  bodyCase('with a byte order mark', 'json', '\u{feff}{}'),
  bodyCase('that is empty', 'json', ''),
  bodyCase('with a second value', 'json', '{} {}'),
  bodyCase('with a key without quotes', 'json', '{a: 1}'),
  bodyCase('without a colon', 'json', '{"a" 1}'),
  bodyCase('without the end of an object', 'json', '{"a": 1'),
  bodyCase('without the end of a list', 'json', '[1'),
  bodyCase('without the end of a text', 'json', '"a'),
  bodyCase('with a bad escape', 'json', '"\\x"'),
  bodyCase('with a key that stands twice', 'json', '{"a": {"b": 1, "b": 2}}'),
  bodyCase('with the key __proto__', 'json', '{"__proto__": 1}'),
  bodyCase('with half of a surrogate pair', 'json', '["\\ud800"]'),
  bodyCase('with half of a surrogate pair in a key', 'json', '{"\\ud800": 1}'),
  bodyCase('with a fraction', 'json', '{"spec": {"a": [1.5]}}'),
  bodyCase('that is nested too deep', 'json', nested(65)),
  bodyCase('with too many values', 'json', `[${Array.from({ length: 20_001 }, () => '1').join()}]`),
  bodyCase('that is empty', 'yaml', ''),
  bodyCase('with two documents', 'yaml', 'a: 1\n---\nb: 1\n---\nc: 1\n'),
  bodyCase('with a directive', 'yaml', '%YAML 1.2\n---\na: 1\n'),
  bodyCase('with a bare carriage return', 'yaml', 'a: 1\rb: 2'),
  bodyCase('that is no YAML', 'yaml', 'a: [1'),
  bodyCase('with an anchor', 'yaml', 'a: &x 1'),
  bodyCase('with an alias', 'yaml', 'a: *x'),
  bodyCase('with a tag', 'yaml', 'a: !!str 1'),
  bodyCase('with a merge key', 'yaml', '<<: {a: 1}'),
  bodyCase('with a key that is a number', 'yaml', '1: a'),
  bodyCase('with a key that is a list', 'yaml', '? [a]\n: b'),
  bodyCase('with a hexadecimal number', 'yaml', 'a: 0x10'),
  bodyCase('with too many characters that part values', 'yaml', ','.repeat(40_001)),
];

function objectOf(json: unknown): Json {
  return parseBody(Buffer.from(JSON.stringify(json)), 'json');
}

function asObject(json: unknown): JsonObject {
  const object = objectOf(json);
  if (!isObject(object)) throw new Error('no object');
  return object;
}

const placement = (over: object): Json => objectOf({ metadata: { name: 'web' }, ...over });
const web = { resource: Placements, namespace: 'team', name: 'web' };
const versioned = (resourceVersion: unknown): BodyObject => ({ metadata: asObject({ name: 'web', resourceVersion }) });

const objects: readonly Case[] = [
  refused('a body that is a list', () => validateTarget(objectOf([]), web)),
  refused('a body of another kind', () => validateTarget(placement({ kind: 'Widget' }), web)),
  refused('a body of another apiVersion', () => validateTarget(placement({ apiVersion: 'v1' }), web)),
  refused('a body without metadata', () => validateTarget(objectOf({}), web)),
  refused('a body of another namespace', () =>
    validateTarget(placement({ metadata: { name: 'web', namespace: 'x' } }), web),
  ),
  refused('a body with a namespace where there is none', () =>
    validateTarget(placement({ metadata: { name: 'hub', namespace: 'x' } }), {
      resource: MultiClusterEngines,
      name: 'hub',
    }),
  ),
  refused('a body of another name', () => validateTarget(placement({ metadata: { name: 'x' } }), web)),
  refused('metadata of wrong types', () =>
    validateTarget(
      placement({
        metadata: {
          name: 1,
          generation: '1',
          creationTimestamp: 'soon',
          labels: [],
          finalizers: 'x',
          ownerReferences: [{ controller: 'x' }],
          managedFields: [{ fieldsV1: 'x' }],
          annotations: { 'a/b': [1, 2, 3, 4, 5] },
        },
      }),
      web,
    ),
  ),
  refused('a new object with a revision', () => validateCreate(versioned('7'))),
  refused('an update without a revision', () => withResourceVersion(versioned(undefined), undefined)),
  refused('an update whose revision is none', () => withResourceVersion(versioned('x'), undefined)),
  refused('an update with two revisions', () => withResourceVersion(versioned('7'), '8')),
];

describeRecorded('gateway-faults', [...headers, ...broken, ...bodies, ...objects]);
