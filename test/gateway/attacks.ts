import { CANARY } from './client.js';
import { ENGINES, PLACEMENTS, PLACEMENTS_APIS } from './rig.js';

/** The operation that an attack is based on. */
export interface Aim {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
  /** The header lines of a valid request, without the token. */
  readonly headers: readonly string[];
  readonly body: string;
}

/** The bytes to send. `credentials`: the header lines with a token, or none. */
export type Forge = (aim: Aim, credentials: readonly string[]) => string | Buffer;

export interface Attack {
  /** The category, and the attempt. */
  readonly name: string;
  readonly forge: Forge;
  /** Expected status codes. Empty: the connection is closed without a response. */
  readonly codes: readonly number[];
  /** Whether the response has a Content-Length but no body. */
  readonly bodiless?: boolean;
}

const HOST = 'Host: localhost';
const YAML = 'Content-Type: application/yaml';
const ENGINE = 'metadata: {name: engine, resourceVersion: "7"}\n';
const PLACEMENT = 'metadata: {name: web, resourceVersion: "7"}\nspec: {}\n';

function reads(path: string): Aim[] {
  return [{ method: 'GET', path, headers: [HOST], body: '' }];
}

function writes(method: 'POST' | 'PUT', path: string, body: string): Aim[] {
  return [{ method, path, headers: [HOST, YAML], body }];
}

/** All operations: those of the interface and the additional ones. */
export const AIMS: readonly Aim[] = [
  ...reads(ENGINES),
  ...reads(`${ENGINES}/engine`),
  ...reads(PLACEMENTS),
  ...reads(`${PLACEMENTS}/web`),
  ...reads(PLACEMENTS_APIS),
  ...writes('POST', ENGINES, ENGINE),
  ...writes('POST', PLACEMENTS, PLACEMENT),
  ...writes('PUT', `${ENGINES}/engine`, ENGINE),
  ...writes('PUT', `${PLACEMENTS}/web`, PLACEMENT),
  { method: 'DELETE', path: `${ENGINES}/engine`, headers: [HOST], body: '' },
  { method: 'DELETE', path: `${PLACEMENTS}/web`, headers: [HOST], body: '' },
];

/** A valid token in either header, or none: a malformed request is rejected for everybody. */
export const CREDENTIALS: readonly (readonly string[])[] = [
  [`COOKIE: Authorization: Bearer ${CANARY}`],
  [`Authorization: Bearer ${CANARY}`],
  [],
];

export interface Changes {
  readonly method?: string;
  readonly target?: string;
  readonly version?: string;
  /** Additional header lines. */
  readonly add?: readonly string[];
  /** Header lines in place of the valid ones. */
  readonly headers?: readonly string[];
  readonly body?: string;
}

/** Builds a request from its parts, with the right Content-Length when there is a body. */
export function request(aim: Aim, credentials: readonly string[], changes: Changes = {}): string {
  const {
    method = aim.method,
    target = aim.path,
    version = 'HTTP/1.1',
    add = [],
    headers = aim.headers,
    body = aim.body,
  } = changes;
  const length = body === '' ? [] : [`Content-Length: ${Buffer.byteLength(body, 'latin1')}`];
  return `${[`${method} ${target} ${version}`, ...headers, ...credentials, ...length, ...add].join('\r\n')}\r\n\r\n${body}`;
}

function added(name: string, line: string, ...codes: number[]): Attack {
  return {
    name: `${name}: ${line.slice(0, 60)}`,
    forge: (aim, credentials) => request(aim, credentials, { add: [line] }),
    codes,
  };
}

function targeted(name: string, change: (path: string) => string, ...codes: number[]): Attack {
  return { name, forge: (aim, credentials) => request(aim, credentials, { target: change(aim.path) }), codes };
}

/** Invalid header lines in place of the token. */
function credential(name: string, ...lines: string[]): Attack {
  return { name, forge: (aim) => request(aim, lines), codes: [403] };
}

const BEARER = `Authorization: Bearer ${CANARY}`;
const LONG = 'a'.repeat(8 * 1024 + 1);

const TOKENS: readonly Attack[] = [
  credential('S1 no token'),
  ...[
    '',
    ' ',
    'Authorization',
    'Authorization:',
    'Authorization: Bearer',
    'Authorization: Bearer ',
    CANARY,
    `Bearer ${CANARY}`,
    `Authorization: Basic ${CANARY}`,
    `Authorization=Bearer ${CANARY}`,
    `${BEARER}; session=1`,
    `session=1; ${BEARER}`,
    `${BEARER}, ${BEARER}`,
    `${BEARER} x`,
    'Authorization: Bearer =',
    'Authorization: Bearer a=b',
    'Authorization: Bearer a,b',
    'Authorization: Bearer "a"',
    'Authorization: Bearer {a}',
    'Authorization: Bearer a%20b',
    `Authorization:  Bearer ${CANARY}`,
    `Authorization: Bearer  ${CANARY}`,
    `authorization: bearer ${CANARY}`,
    `Authorization: Bearer ${LONG}`,
  ].map((value) => credential(`S1 COOKIE: ${value.slice(0, 50)}`, `COOKIE: ${value}`)),
  ...[
    '',
    'Bearer',
    CANARY,
    `Basic ${CANARY}`,
    `Bearer ${CANARY} x`,
    `Bearer ${CANARY}, Bearer ${CANARY}`,
    'Bearer a b',
    `Negotiate ${CANARY}`,
    `Bearer ${LONG}`,
  ].map((value) => credential(`S1 Authorization: ${value.slice(0, 50)}`, `Authorization: ${value}`)),
  credential('S1 COOKIE twice', `COOKIE: ${BEARER}`, `COOKIE: ${BEARER}`),
  credential('S1 COOKIE twice, one of another kind', 'COOKIE: a=b', `COOKIE: ${BEARER}`),
  credential('S1 Authorization twice', BEARER, BEARER),
  credential('S2 the same token in both places', BEARER, `COOKIE: ${BEARER}`),
  credential('S2 different tokens', BEARER, 'COOKIE: Authorization: Bearer other'),
  credential('S2 a token beside an empty COOKIE', BEARER, 'COOKIE: '),
  ...['a\tb', 'a\x00b', 'a\rb', 'a\nb', 'a\xe9b', 'a\x7fb', 'a\x01b', 'a\xff'].flatMap((token) => [
    credential(`S3 ${JSON.stringify(token)} in COOKIE`, `COOKIE: Authorization: Bearer ${token}`),
    credential(`S3 ${JSON.stringify(token)} in Authorization`, `Authorization: Bearer ${token}`),
  ]),
];

const CHUNKED = 'Transfer-Encoding: chunked';

function framed(name: string, ...lines: string[]): Attack {
  return {
    name: `S6 ${name}`,
    forge: (aim, credentials) => `${request({ ...aim, body: '' }, credentials, { add: lines })}0\r\n\r\n`,
    codes: [400],
  };
}

const FRAMING: readonly Attack[] = [
  framed('length and chunks', 'Content-Length: 5', CHUNKED),
  framed('chunks and length', CHUNKED, 'Content-Length: 5'),
  framed('two lengths', 'Content-Length: 5', 'Content-Length: 6'),
  framed('the same length twice', 'Content-Length: 5', 'Content-Length: 5'),
  framed('a list of lengths', 'Content-Length: 5, 5'),
  framed('a negative length', 'Content-Length: -1'),
  framed('a signed length', 'Content-Length: +5'),
  framed('a hexadecimal length', 'Content-Length: 0x5'),
  framed('a length with a blank', 'Content-Length: 5 5'),
  framed('a huge length', 'Content-Length: 99999999999999999999999'),
  framed('chunked twice', CHUNKED, CHUNKED),
  framed('chunked not last', 'Transfer-Encoding: chunked, identity'),
  framed('another coding', 'Transfer-Encoding: xchunked'),
  framed('a coding before chunked', 'Transfer-Encoding: gzip, chunked'),
  framed('identity', 'Transfer-Encoding: identity'),
  framed('a space before the colon', 'Transfer-Encoding : chunked'),
  framed('a space before the colon of the host', 'Host : b'),
  framed('a tab before the colon', 'X\t: b'),
  framed('a folded header', 'X: a\r\n b'),
  framed('a folded header by tab', 'X: a\r\n\tb'),
  framed('a bare LF', 'X: a\nY: b'),
  framed('a bare CR', 'X: a\rY: b'),
  framed('a NUL in a header', 'X: a\x00b'),
  framed('a NUL in a name', 'X\x00: a'),
  framed('a header without a name', ': a'),
  framed('a line without a colon', 'nonsense'),
  framed('another host', 'Host: b'),
  framed('trailing CR', 'X: y\r'),
  {
    name: 'S6 no host',
    forge: (aim, credentials) => request(aim, credentials, { headers: aim.headers.filter((line) => line !== HOST) }),
    codes: [400],
  },
  {
    name: 'S6 a host that is none',
    forge: (aim, credentials) => request(aim, credentials, { headers: ['Host: a/b', ...aim.headers.slice(1)] }),
    codes: [400],
  },
  {
    name: 'S6 HTTP/1.0',
    forge: (aim, credentials) => request(aim, credentials, { version: 'HTTP/1.0' }),
    codes: [400],
  },
  {
    name: 'S6 HTTP/2.0 in words',
    forge: (aim, credentials) => request(aim, credentials, { version: 'HTTP/2.0' }),
    codes: [400],
  },
  {
    name: 'S6 HTTP/1.2',
    forge: (aim, credentials) => request(aim, credentials, { version: 'HTTP/1.2' }),
    codes: [400],
  },
  {
    name: 'S6 LF alone at the end of lines',
    forge: (aim, credentials) => request(aim, credentials).replaceAll('\r\n', '\n'),
    codes: [400],
  },
  {
    name: 'S6 a space before the first header',
    forge: (aim, credentials) => request(aim, credentials).replace('\r\n', '\r\n '),
    codes: [400],
  },
  ...(
    [
      ['two spaces before the target', / /, '  '],
      ['two spaces before the version', / HTTP/, '  HTTP'],
      ['an LF before the request line', /^/, '\n'],
      ['a vertical tab before the last header', /\r\n(?=[^\r]*\r\n\r\n)/, '\r\n\x0b'],
      ['a space before the last header', /\r\n(?=[^\r]*\r\n\r\n)/, '\r\n '],
    ] as const
  ).map(([name, place, text]): Attack => ({
    name: `S6 ${name}`,
    forge: (aim, credentials) => request(aim, credentials).replace(place, text),
    codes: [400],
  })),
  ...(
    [
      ['blanks before a value', /\r\n/, `\r\nX:${' '.repeat(20_000)}\r\n`],
      ['blanks in the request line', / /, ' '.repeat(20_000)],
      ['empty lines before the request line', /^/, '\r\n'.repeat(10_000)],
    ] as const
  ).map(([name, place, text]): Attack => ({
    name: `S6 20 KB of ${name}`,
    forge: (aim, credentials) => request(aim, credentials).replace(place, text),
    codes: [431],
  })),
  {
    name: 'S6 chunks with LF',
    forge: (aim, credentials) => `${request({ ...aim, body: '' }, credentials, { add: [CHUNKED] })}1\na\n0\n\n`,
    codes: [400, 403],
  },
  {
    name: 'S6 a chunk size that is none',
    forge: (aim, credentials) =>
      `${request({ ...aim, body: '' }, credentials, { add: [CHUNKED] })}zz\r\na\r\n0\r\n\r\n`,
    codes: [400, 403],
  },
  {
    name: 'S6 a chunk size that overflows',
    forge: (aim, credentials) =>
      `${request({ ...aim, body: '' }, credentials, { add: [CHUNKED] })}fffffffffffffffff\r\na\r\n0\r\n\r\n`,
    codes: [400, 403],
  },
  {
    name: 'S6 a chunk longer than it says',
    forge: (aim, credentials) =>
      `${request({ ...aim, body: '' }, credentials, { add: [CHUNKED] })}1\r\nabcdef\r\n0\r\n\r\n`,
    codes: [400, 403],
  },
  {
    name: 'S6 trailer fields',
    forge: (aim, credentials) =>
      `${request({ ...aim, body: '' }, credentials, { add: [CHUNKED] })}1\r\na\r\n0\r\nX: y\r\n\r\n`,
    codes: [400, 403],
  },
  {
    name: 'S6 a head that never ends',
    forge: (aim, credentials) => request(aim, credentials, { add: [`X: ${'a'.repeat(20_000)}`] }),
    codes: [431],
  },
  {
    name: 'S6 101 headers',
    forge: (aim, credentials) =>
      request(aim, credentials, { add: Array.from({ length: 101 }, (_, index) => `X-${index}: y`) }),
    codes: [431],
  },
];

const METHODS: readonly Attack[] = [
  ...['PATCH', 'OPTIONS', 'TRACE', 'QUERY', 'PROPFIND', 'SEARCH', 'PURGE', 'LINK'].map((method): Attack => ({
    name: `S7 ${method}`,
    forge: (aim, credentials) => request(aim, credentials, { method }),
    codes: [405],
  })),
  {
    name: 'S7 HEAD',
    forge: (aim, credentials) => request(aim, credentials, { method: 'HEAD' }),
    codes: [405],
    bodiless: true,
  },
  ...['FOO', 'get', 'GETT', 'X'.repeat(64), 'PLAY', 'M~1'].map((method): Attack => ({
    name: `S7 the method ${method}, which HTTP does not have`,
    forge: (aim, credentials) => request(aim, credentials, { method }),
    codes: [405],
  })),
  ...['', 'G\x00T', 'F(O', 'X'.repeat(65), '\xff'].map((method): Attack => ({
    name: `S7 ${JSON.stringify(method)}, which is no method`,
    forge: (aim, credentials) => request(aim, credentials, { method }),
    codes: [400],
  })),
  {
    name: 'S7 an unknown method of HTTP/1.0',
    forge: (aim, credentials) => request(aim, credentials, { method: 'FOO', version: 'HTTP/1.0' }),
    codes: [400],
  },
  {
    name: 'S7 an unknown method of an unknown path',
    forge: (_aim, credentials) =>
      `FOO /api/v1/secrets HTTP/1.1\r\nHost: localhost\r\n${credentials.map((line) => `${line}\r\n`).join('')}\r\n`,
    codes: [404],
  },
  {
    name: 'S7 CONNECT',
    forge: (_aim, credentials) =>
      `CONNECT localhost:443 HTTP/1.1\r\nHost: localhost\r\n${credentials.map((line) => `${line}\r\n`).join('')}\r\n`,
    codes: [405],
  },
  added('S7', 'Upgrade: websocket\r\nConnection: Upgrade', 400),
  added('S7', 'Upgrade: h2c\r\nConnection: Upgrade, HTTP2-Settings\r\nHTTP2-Settings: AAMAAABkAAQAAP__', 400),
  added('S7', 'X-HTTP-Method-Override: DELETE', 400),
  added('S7', 'X-HTTP-Method: DELETE', 400),
  added('S7', 'X-Method-Override: DELETE', 400),
  { name: 'S19 the preface of HTTP/2', forge: () => 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', codes: [400] },
];

const last = (path: string): number => path.lastIndexOf('/');

const PATHS: readonly Attack[] = [
  ...[
    '/..',
    '/%2e%2e',
    '/.',
    '//',
    '/',
    '/%2F',
    '%2F',
    '%5c',
    '\\',
    '%00',
    '%252f',
    ';x',
    ';',
    '%0d%0a',
    '/%c0%af',
    '%EF%BC%8E',
    '/x/status',
    '/x/scale',
    '/..;/x',
    '/%',
    '/%zz',
    '#x',
    '+',
    '~',
    '.',
    '..',
    '-',
    '_',
    'A',
    ':x',
    '@x',
    '*',
    '%20',
    '/../../../../api/v1/secrets',
  ].map((suffix) => targeted(`S8 the path followed by ${suffix}`, (path) => `${path}${suffix}`, 404)),
  targeted('S8 an absolute URI', (path) => `https://localhost${path}`, 404),
  targeted('S12 an absolute URI of another host', (path) => `https://169.254.169.254${path}`, 404),
  targeted('S8 two slashes at the beginning', (path) => `/${path}`, 404),
  targeted('S8 two slashes within', (path) => `${path.slice(0, last(path))}/${path.slice(last(path))}`, 404),
  targeted('S8 dots within', (path) => path.replace('/platform/', '/platform/x/../'), 404),
  targeted('S8 encoded letters', (path) => path.replace('platform', '%70latform'), 404),
  targeted('S8 capitals', (path) => path.toUpperCase(), 404),
  targeted('S8 no base path', (path) => path.replace('/platform', ''), 404),
  targeted('S8 a Kubernetes path', () => '/api/v1/secrets', 404),
  targeted('S8 another group', (path) => path.replace(/(multicluster\.platform|cluster\.fleetmgmt)\.io/, 'apps'), 404),
  targeted('S8 another version', (path) => path.replace('v1alpha1', 'v1'), 404),
  targeted('S8 no leading slash', (path) => path.slice(1), 400, 404),
  targeted('S8 raw bytes above ASCII', (path) => `${path}\xe9`, 400, 404),
  targeted('S8 overlong UTF-8', (path) => `${path}\xc0\xaf`, 400, 404),
  targeted('S8 a NUL', (path) => `${path}\x00`, 400),
  targeted('S8 an asterisk', () => '*', 404),
  targeted('S8 a long name', (path) => `${path.slice(0, last(path))}/${'a'.repeat(254)}`, 404),
  targeted('S9 no name', (path) => `${path.slice(0, last(path))}/`, 404),
  targeted('S9 blank name', (path) => `${path.slice(0, last(path))}/%20`, 404),
  targeted('S9 a dot as name', (path) => `${path.slice(0, last(path))}/.`, 404),
  ...[
    '?',
    '?watch=true',
    '?watch=1&resourceVersion=0',
    '?fieldSelector=metadata.name%3Dx',
    '?labelSelector=a',
    '?propagationPolicy=Orphan',
    '?dryRun=All',
    '?pretty=true',
    '?limit=1',
    '?%77atch=1',
    '?a?b',
    '?a#b',
    '?gracePeriodSeconds=0',
    '?fieldManager=x',
    `?${'a'.repeat(8_000)}`,
  ].map((query) => targeted(`S10 ${query.slice(0, 40)}`, (path) => `${path}${query}`, 400)),
  targeted('S10 a query of 1 MB', (path) => `${path}?${'a'.repeat(1_000_000)}`, 431),
];

const SITES: readonly Attack[] = [
  added('S23', 'Origin: https://evil.example', 403),
  added('S23', 'Origin: null', 403),
  added('S23', 'Origin: http://localhost', 403),
  added('S23', 'Origin: https://localhost.evil.example', 403),
  added('S23', 'Origin: https://localhost:1', 403),
  added('S23', 'Sec-Fetch-Site: cross-site', 403),
  added('S23', 'Sec-Fetch-Site: same-site', 403),
  added('S23', 'Sec-Fetch-Site: CROSS-SITE', 403),
  added('S23', 'Origin: https://localhost\r\nSec-Fetch-Site: cross-site', 403),
  added('S23', 'Origin: https://localhost\r\nOrigin: https://evil.example', 400),
  added('S17', 'Expect: 200-ok', 417),
  added('S17', 'Expect: 100-continue, x', 417),
];

/** Attacks on every operation. */
export const EVERYWHERE: readonly Attack[] = [...TOKENS, ...FRAMING, ...METHODS, ...PATHS, ...SITES];
