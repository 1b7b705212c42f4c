import { AIMS, request, type Attack } from './attacks.js';
import { CANARY } from './client.js';

/** Operations with a body, and those without. */
export const WITH_BODY = AIMS.filter((aim) => aim.body !== '');
export const WITHOUT_BODY = AIMS.filter((aim) => aim.body === '');

const COOKIE = [`COOKIE: Authorization: Bearer ${CANARY}`];
const MIB = 1024 * 1024;

function headersOf(type: string, ...more: string[]): readonly string[] {
  return ['Host: localhost', `Content-Type: ${type}`, ...more];
}

function body(name: string, text: string, type = 'application/yaml', ...codes: number[]): Attack {
  return {
    name,
    forge: (aim) => request(aim, COOKIE, { headers: headersOf(type), body: text }),
    codes: codes.length > 0 ? codes : [400],
  };
}

/** Fields that do not agree with the path. */
const DISAGREEING = [
  'kind: Secret',
  'kind: ""',
  'kind: [Placement]',
  'kind: 7',
  'kind: placement',
  'apiVersion: v1',
  'apiVersion: ""',
  'apiVersion: cluster.fleetmgmt.io/v1',
  'apiVersion: {}',
].map((line) => body(`S11 ${line}`, `${line}\nmetadata: {name: web, resourceVersion: "7"}\n`));

const MISPLACED = [
  'namespace: other',
  'namespace: kube-system',
  'namespace: 7',
  'namespace: [shop]',
  'namespace: shop2',
].map((field) => body(`S11 metadata.${field}`, `metadata: {${field}, name: web, resourceVersion: "7"}\n`));

const SHAPES = [
  '',
  '# nothing',
  'null',
  '7',
  'text',
  '[]',
  '- a',
  '{}',
  'metadata:',
  'metadata: []',
  'metadata: web',
].map((text) => body(`S11 the body ${JSON.stringify(text)}`, text === '' ? ' ' : text));

const good = 'metadata: {name: engine, resourceVersion: "7"}\n';
const laughs = `a: &a [x,x,x,x,x,x,x,x,x]\n${'bcdefghi'
  .split('')
  .map((key, index) => `${key}: &${key} [${Array(9).fill(`*${'abcdefgh'[index]}`).join(',')}]`)
  .join('\n')}\n${good}`;

const YAML_BOMBS = [
  body('S15 a billion laughs', laughs),
  body('S15 a million aliases', `a: &a x\nb: [${'*a,'.repeat(300_000)}]\n${good}`),
  body('S15 an anchor', `metadata: &m {name: web}\n`),
  body('S15 an alias', `metadata: {name: *n}\n`),
  body('S15 a merge key', `x: {a: b}\nmetadata: {<<: {name: web}}\n`),
  body('S15 a tag', `metadata: !!map {name: web}\n`),
  body('S15 a tag of JavaScript', `metadata: {name: !!js/function "function(){}"}\n`),
  body('S15 a binary', `metadata: {name: !!binary aGk=}\n`),
  body('S15 a local tag', `metadata: {name: !x web}\n`),
  body('S15 a duplicate key', 'metadata: {name: a, name: b}\n'),
  body('S15 a duplicate key in JSON', '{"metadata":{"name":"a"},"metadata":{"name":"b"}}', 'application/json'),
  body('S15 an escaped duplicate key in JSON', '{"metadata":{"name":"a","n\\u0061me":"b"}}', 'application/json'),
  body('S15 two documents', `${good}---\n${good}`),
  body('S15 a thousand documents', `---\n${good}`.repeat(1000)),
  body('S15 a directive', `%YAML 1.2\n---\n${good}`),
  body('S15 a byte order mark', `\xef\xbb\xbf${good}`),
  body('S15 a byte order mark in JSON', '\xef\xbb\xbf{}', 'application/json'),
  body('S15 depth 100,000', `spec: ${'['.repeat(100_000)}`),
  body('S15 depth 100,000 in JSON', `{"spec":${'['.repeat(100_000)}`, 'application/json'),
  body('S15 depth 65', `${good}spec: ${'['.repeat(65)}${']'.repeat(65)}\n`),
  body('S15 depth by indentation', Array.from({ length: 200 }, (_, depth) => `${' '.repeat(depth)}a:`).join('\n')),
  body('S15 20,001 nodes', `${good}spec: {x: [${'1,'.repeat(20_001)}]}\n`),
  body('S15 20,001 nodes in JSON', `{"spec":[${'1,'.repeat(20_001)}1]}`, 'application/json'),
  body('S15 a million items', `x:\n${'- a\n'.repeat(240_000)}`),
  body('S15 only dashes', '- '.repeat(300_000)),
  body('S15 only braces', '{'.repeat(MIB - 1)),
  body('S15 an open quote', `"${'a\n'.repeat(30_000)}`),
  body('S15 a key that is a list', `${good}? [a]\n: b\n`),
  body('S15 a tab for indentation', 'metadata:\n\tname: web\n'),
  body('S15 UTF-16', 'm\x00e\x00t\x00a\x00'),
  body('S15 no UTF-8', 'metadata: {name: "\xff\xfe"}\n'),
  body('S15 an overlong NUL', 'metadata: {name: "\xc0\x80"}\n'),
  body('S15 a surrogate', '{"metadata":{"name":"\\ud800"}}', 'application/json'),
];

const PROTOTYPES = ['__proto__', 'constructor', 'prototype'].flatMap((key) => [
  body(`S16 ${key} at the top`, `${key}: {polluted: true}\n${good}`),
  body(`S16 ${key} deep down`, `${good}spec: {a: [{b: {${key}: x}}]}\n`),
  body(`S16 ${key} as a label`, `metadata: {name: web, labels: {${key}: x}}\n`),
  body(`S16 ${key} in quotes`, `"${key}": x\n${good}`),
  body(`S16 ${key} in JSON`, `{"${key}":{"polluted":true},"metadata":{"name":"web"}}`, 'application/json'),
  body(
    `S16 ${key} escaped in JSON`,
    `{"\\u00${key.charCodeAt(0).toString(16)}${key.slice(1)}":{"polluted":true}}`,
    'application/json',
  ),
]);

const NUMBERS = [
  '9007199254740993',
  '1e3',
  '1.5',
  '0644',
  '0x10',
  '.inf',
  '.nan',
  '1_000',
  '-9007199254740993',
  '+5',
].map((number) => body(`F42 the number ${number}`, `${good}spec: {numberOfClusters: ${number}}\n`));

const JSON_FAULTS = [
  '{',
  '{"a":1,}',
  "{'a':1}",
  '{a:1}',
  '{"a":01}',
  '{"a":NaN}',
  '{"a":1}}',
  '{"a":1} x',
  '["a",]',
  '{"a" 1}',
  '"\\x"',
  '"a\nb"',
  'tru',
  '// c\n{}',
].map((text) => body(`S15 the JSON ${text}`, text, 'application/json'));

const TYPES = [
  'text/plain',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'text/html',
  'yaml',
  'placement/json',
  'application/yaml; charset=utf-16',
  'application/json; charset=latin1',
  'application/yaml, application/json',
  'application/yaml; a=b',
  '*/*',
  '',
].map((type) => body(`S17 the type ${type}`, good, type, 415));

const SIZES: readonly Attack[] = [
  body('S17 1 MiB and 1', `#${' '.repeat(MIB)}`, 'application/yaml', 413),
  {
    name: 'S17 an announced GiB',
    forge: (aim) => request({ ...aim, body: '' }, COOKIE, { add: ['Content-Length: 1073741824'] }),
    codes: [413],
  },
  {
    name: 'S17 1 MiB and 1 in chunks',
    forge: (aim) =>
      `${request({ ...aim, body: '' }, COOKIE, { add: ['Transfer-Encoding: chunked'] })}${`10000\r\n${' '.repeat(65_536)}\r\n`.repeat(17)}0\r\n\r\n`,
    codes: [413],
  },
  ...['gzip', 'deflate', 'br', 'x', 'gzip, identity'].map((coding): Attack => ({
    name: `S17 Content-Encoding: ${coding}`,
    forge: (aim) => request(aim, COOKIE, { add: [`Content-Encoding: ${coding}`] }),
    codes: [415],
  })),
  { name: 'S17 no body at all', forge: (aim) => request({ ...aim, body: '' }, COOKIE), codes: [400] },
  {
    name: 'S17 a body shorter than it says',
    forge: (aim) => request({ ...aim, body: '' }, COOKIE, { add: ['Content-Length: 100'] }),
    codes: [],
  },
];

/** Conditional headers that no operation supports. */
const UNKNOWN_CONDITIONS = [
  'If-None-Match: *',
  'If-None-Match: "7"',
  'If-Modified-Since: Wed, 21 Oct 2015 07:28:00 GMT',
  'If-Unmodified-Since: Wed, 21 Oct 2015 07:28:00 GMT',
  'If-Range: "7"',
  'Content-Range: bytes 0-1/2',
];
const CONDITIONS = [
  ...UNKNOWN_CONDITIONS,
  'If-Match: 7',
  'If-Match: W/"7"',
  'If-Match: "7", "8"',
  'If-Match: ""',
  'If-Match: "7"\r\nIf-Match: "8"',
].map((line): Attack => ({
  name: `a condition that is not offered, ${line}`,
  forge: (aim) => request(aim, COOKIE, { add: [line] }),
  codes: [400],
}));

/** Attacks on operations with a body; all with a valid token. */
export const WITH_BODY_REFUSED: readonly Attack[] = [
  ...DISAGREEING,
  ...MISPLACED,
  ...SHAPES,
  ...YAML_BOMBS,
  ...PROTOTYPES,
  ...NUMBERS,
  ...JSON_FAULTS,
  ...TYPES,
  ...SIZES,
  ...CONDITIONS,
];

/** Attacks on operations without a body. */
export const WITHOUT_BODY_REFUSED: readonly Attack[] = [
  {
    name: 'S11 a body',
    forge: (aim) => request(aim, COOKIE, { add: ['Content-Type: application/yaml'], body: good }),
    codes: [400],
  },
  {
    name: 'S17 a body in chunks',
    forge: (aim) => `${request(aim, COOKIE, { add: ['Transfer-Encoding: chunked'] })}1\r\na\r\n0\r\n\r\n`,
    codes: [400],
  },
  ...UNKNOWN_CONDITIONS.map((line): Attack => ({
    name: `a condition that is not offered, ${line}`,
    forge: (aim) => request(aim, COOKIE, { add: [line] }),
    codes: [400],
  })),
  {
    name: 'S17 an announced body that does not come',
    forge: (aim) => request(aim, COOKIE, { add: ['Content-Length: 10'] }),
    codes: [400],
  },
];
