/**
 * Objects that a client sends without a part of them. A client of the HTTPS interface read a Placement, and put it back
 * without its spec, or posted it without one: the API server takes an absent spec as one without fields, which selects every
 * cluster of the bound sets. And what the API server warned of on such a write, kubectl showed, and this interface did not.
 *
 * Right is: what is absent by mistake is refused before it is sent, with an error that names the field; what is empty on
 * purpose is sent; each warning of the API server reaches the client of the write.
 */
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';

import type { Ask } from '../gateway/client.js';
import { ENGINES, PLACEMENTS, startRig, type Rig } from '../gateway/rig.js';
import { answerNormally, reply, type Script } from '../gateway/upstream.js';

const JSON_TYPE = 'application/json';
const YAML_TYPE = 'application/yaml';

let rig: Rig;
let strict: Rig;
beforeAll(async () => {
  [rig, strict] = await Promise.all([startRig(), startRig({ strict: true })]);
});
afterAll(() => Promise.all([rig.stop(), strict.stop()]));

type Method = 'POST' | 'PUT';

const send = (one: Rig, method: Method, type: string, body: string): ReturnType<Rig['ask']> =>
  one.ask({
    method,
    path: method === 'PUT' ? `${PLACEMENTS}/web` : PLACEMENTS,
    headers: { 'content-type': type, ...(method === 'PUT' && { 'if-match': '"8"' }) },
    body,
  });

const METHODS: readonly Method[] = ['PUT', 'POST'];

const WITHOUT_SPEC: readonly (readonly [string, string, string])[] = [
  ['without a spec', YAML_TYPE, 'metadata: {name: web}'],
  ['with an empty spec in YAML', YAML_TYPE, 'metadata: {name: web}\nspec:\n'],
  ['with the spec null', YAML_TYPE, 'metadata: {name: web}\nspec: ~'],
  ['with a status alone', YAML_TYPE, 'metadata: {name: web}\nstatus: {}'],
  ['without a spec, as JSON', JSON_TYPE, '{"metadata":{"name":"web"}}'],
  ['with the spec null, as JSON', JSON_TYPE, '{"metadata":{"name":"web"},"spec":null}'],
  [
    'without a spec, of more than is parsed at once',
    JSON_TYPE,
    `{"metadata":{"annotations":{"a":"${'x'.repeat(99_999)}"},"name":"web"}}`,
  ],
];

it.each(METHODS.flatMap((method) => WITHOUT_SPEC.map(([what, type, body]) => ({ method, what, type, body }))))(
  'a $method of a Placement $what is not sent, and the error names spec',
  async ({ method, type, body }) => {
    const [answer, folded] = [await send(rig, method, type, body), await send(strict, method, type, body)];

    expect([answer.status, folded.status, folded.body]).toEqual([400, 403, '']);
    expect(JSON.parse(answer.body)).toMatchObject({
      kind: 'Status',
      code: 400,
      message: `spec: must be present: ${method === 'PUT' ? 'a PUT replaces the whole object; ' : ''}{} selects every cluster`,
      details: { causes: [{ field: 'spec', reason: 'FieldValueInvalid' }] },
    });
    expect(rig.upstream.requests.filter((one) => one.method === method && one.path.includes('placements'))).toEqual([]);
  },
);

it('an empty spec is sent, and an engine without a spec', async () => {
  const headers = { 'content-type': YAML_TYPE };
  const engine = { path: ENGINES, headers, body: 'metadata: {name: engine}' };
  const answers = [
    await send(rig, 'PUT', YAML_TYPE, 'metadata: {name: web}\nspec: {}'),
    await send(rig, 'POST', YAML_TYPE, 'metadata: {name: web}\nspec: {}'),
    await rig.ask({ method: 'PUT', ...engine, path: `${ENGINES}/engine`, headers: { ...headers, 'if-match': '"7"' } }),
    await rig.ask({ method: 'POST', ...engine }),
  ];

  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
});

/** Answers as usual, with these fields at the head. */
const withFields =
  (fields: readonly string[], body?: string): Script =>
  (request, socket) => {
    const usual = { write: (text: string) => socket.write(edited(text, fields, body)) };
    answerNormally(request, usual as typeof socket);
  };

function edited(text: string, fields: readonly string[], body?: string): string {
  const [head = '', usual = ''] = text.split('\r\n\r\n');
  const lines = head.split('\r\n').filter((line) => body === undefined || !line.startsWith('content-length'));
  const length = body === undefined ? [] : [`content-length: ${Buffer.byteLength(body)}`];
  return `${[...lines, ...length, ...fields].join('\r\n')}\r\n\r\n${body ?? usual}`;
}

const WARNING = '299 - "spec.disruptionBudget is removed: say \\"no\\" to it"';

describe('warnings of the API server', () => {
  afterEach(() => {
    rig.upstream.script = strict.upstream.script = answerNormally;
  });

  const body = 'metadata: {name: web}\nspec: {}';
  const writes: readonly Ask[] = [
    { method: 'POST', path: PLACEMENTS, headers: { 'content-type': YAML_TYPE }, body },
    { method: 'PUT', path: `${PLACEMENTS}/web`, headers: { 'content-type': YAML_TYPE, 'if-match': '"8"' }, body },
    { method: 'DELETE', path: `${PLACEMENTS}/web` },
    { method: 'DELETE', path: `${ENGINES}/engine` },
  ];
  const returned = { prefer: 'return=representation' };

  it.each(writes)('the client of a $method of $path gets them, in both modes and with the object', async (ask) => {
    for (const one of [rig, strict]) one.upstream.script = withFields([`Warning: ${WARNING}`, 'Warning: 299 - "two"']);
    const answers = [
      await rig.ask(ask),
      await strict.ask(ask),
      await rig.ask({ ...ask, headers: { ...ask.headers, ...returned } }),
    ];

    for (const { status, headers } of answers)
      expect([status, headers['warning']]).toEqual([200, `${WARNING}, 299 - "two"`]);
  });

  it('the client of a write gets them though the object in the answer cannot be used', async () => {
    rig.upstream.script = withFields([`Warning: ${WARNING}`], '{"kind":');

    expect((await rig.ask({ method: 'DELETE', path: `${PLACEMENTS}/web` })).headers['warning']).toBe(WARNING);
  });

  it('an error and a read have none', async () => {
    rig.upstream.script = withFields([`Warning: ${WARNING}`]);
    const read = await rig.ask({ path: PLACEMENTS });
    rig.upstream.script = (_request, socket) => socket.write(reply(409, {}, { warning: WARNING }));
    const refused = await rig.ask({ method: 'DELETE', path: `${PLACEMENTS}/web` });

    expect([read, refused].map(({ status, headers }) => [status, headers['warning']])).toEqual([
      [200, undefined],
      [409, undefined],
    ]);
  });

  it.each<[string, readonly string[], string | undefined]>([
    [
      'several in one field',
      ['299 - "a, b", 299 host:1 "c" "Fri, 27 Nov 2026 00:00:00 GMT"'],
      '299 - "a, b", 299 - "c"',
    ],
    ['one of them twice', ['299 - "a"', '299 - "a"'], '299 - "a"'],
    ['text beyond ASCII', ['299 - "5 % → 0"'], '299 - "5 % → 0"'],
    ['another code', ['199 - "a"', '299 - "b"'], '299 - "b"'],
    ['no quotes', ['299 - a'], undefined],
    ['a quote that does not end', ['299 - "a', '299 - "a\\"'], undefined],
    ['what follows a fault in the same field', ['299 - "a", 299 b', '299 - "c"'], '299 - "a", 299 - "c"'],
    ['no text', ['299 - ""'], undefined],
    ['a tab', ['299 - "a\tb"'], undefined],
    ['a control character beyond ASCII', ['299 - "a\u009b31m"'], undefined],
    [
      'more text than is passed on',
      ['299 - "first"', `299 - "${'x'.repeat(9000)}"`, '299 - "last"'],
      '299 - "first", 299 - "last", 299 - "further warnings of the API server are left out"',
    ],
    [
      'more than are passed on',
      Array.from({ length: 40 }, (_, index) => `299 - "${index}"`),
      `${Array.from({ length: 32 }, (_, index) => `299 - "${index}"`).join(', ')}, 299 - "further warnings of the API server are left out"`,
    ],
    [
      'a head of more than Node reads by default',
      Array.from({ length: 5 }, (_, index) => `299 - "${index}${'x'.repeat(4000)}"`),
      `299 - "0${'x'.repeat(4000)}", 299 - "1${'x'.repeat(4000)}", 299 - "further warnings of the API server are left out"`,
    ],
  ])('of fields with %s, the well-formed ones are passed on, within bounds', async (_what, fields, passed) => {
    rig.upstream.script = withFields(fields.map((field) => `Warning: ${field}`));
    const { status, headers } = await rig.ask({ method: 'DELETE', path: `${PLACEMENTS}/web` });
    const text = headers['warning'];

    expect(status).toBe(200);
    expect(text === undefined ? undefined : Buffer.from(text, 'latin1').toString('utf8')).toBe(passed);
  });
});
