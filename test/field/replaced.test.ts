/**
 * Objects that a client sends without a part of them. A client of the HTTPS interface read a Placement, and put it back
 * without its spec: the API server takes an absent spec as one without fields, which selects every cluster of the bound sets.
 *
 * Right is: what is absent by mistake is refused before it is sent, with an error that names the field; what is empty on
 * purpose is sent.
 */
import { afterAll, beforeAll, expect, it } from '@jest/globals';

import { ENGINE_YAML, ENGINES, PLACEMENTS, startRig, type Rig } from '../gateway/rig.js';

const JSON_TYPE = 'application/json';
const YAML_TYPE = 'application/yaml';

let rig: Rig;
let strict: Rig;
beforeAll(async () => {
  [rig, strict] = await Promise.all([startRig(), startRig({ strict: true })]);
});
afterAll(() => Promise.all([rig.stop(), strict.stop()]));

const put = (one: Rig, type: string, body: string): ReturnType<Rig['ask']> =>
  one.ask({
    method: 'PUT',
    path: `${PLACEMENTS}/web`,
    headers: { 'content-type': type, 'if-match': '"8"' },
    body,
  });

it.each([
  ['without a spec', YAML_TYPE, 'metadata: {name: web}'],
  ['with an empty spec in YAML', YAML_TYPE, 'metadata: {name: web}\nspec:\n'],
  ['with the spec null', YAML_TYPE, 'metadata: {name: web}\nspec: ~'],
  ['with a status alone', YAML_TYPE, 'metadata: {name: web}\nstatus: {}'],
  ['without a spec, as JSON', JSON_TYPE, '{"metadata":{"name":"web"}}'],
  ['with the spec null, as JSON', JSON_TYPE, '{"metadata":{"name":"web"},"spec":null}'],
  [
    'without a spec, of more than is parsed at once',
    JSON_TYPE,
    `{"metadata":{"annotations":{"a":"${'x'.repeat(99_999)}"}}}`,
  ],
])('a Placement %s is not put, and the error names spec', async (_what, type, body) => {
  const [answer, folded] = [await put(rig, type, body), await put(strict, type, body)];

  expect([answer.status, folded.status, folded.body]).toEqual([400, 403, '']);
  expect(JSON.parse(answer.body)).toMatchObject({
    kind: 'Status',
    code: 400,
    message: 'spec: must be present: a PUT replaces the whole object; {} selects every cluster',
    details: { causes: [{ field: 'spec', reason: 'FieldValueInvalid' }] },
  });
  expect(rig.upstream.requests.filter(({ method }) => method === 'PUT')).toEqual([]);
});

it('an empty spec is put, and an engine without a spec', async () => {
  const headers = { 'content-type': YAML_TYPE, 'if-match': '"7"' };
  const engine = { method: 'PUT', path: `${ENGINES}/engine`, headers, body: ENGINE_YAML } as const;
  const answers = [
    await put(rig, YAML_TYPE, 'metadata: {name: web}\nspec: {}'),
    await rig.ask({ ...engine, body: 'metadata: {name: engine}' }),
    await rig.ask({
      method: 'POST',
      path: PLACEMENTS,
      headers: { 'content-type': YAML_TYPE },
      body: 'metadata: {name: web}',
    }),
  ];

  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
});
