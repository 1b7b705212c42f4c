import { afterAll, beforeAll, expect, test } from '@jest/globals';

import type { Assembly } from '../../src/server/assembly.js';
import type { JsonObject } from '@multicluster-engine/values/json';
import { wrongValues } from '../unit/hostile/wrongvalues.js';
import { ask, startAssembly } from '../unit/hostile/fixture.js';
import { describeWithServer } from '../../testing/controlplane/suite.js';

/** Only every STEP-th request is compared, from FIRST on. STEP 1 compares all, which takes many minutes. */
const STEP = Number(process.env['INVALID_VALUES_STEP'] ?? 53);
const FIRST = Number(process.env['INVALID_VALUES_FIRST'] ?? 0);
/** Concurrent requests to the real server. */
const CONCURRENCY = 8;
/** Known differences, with the reason why they are accepted. */
const KNOWN: readonly (readonly [RegExp, string])[] = [
  [
    /SubjectAccessReview spec\.resourceAttributes\.(label|field)Selector/,
    'the embedded server does not evaluate selectors in reviews',
  ],
  [/fieldsV1.* = 1e400$/, 'a number that overflows is rejected even where Go keeps it as text'],
  [/\.caBundle = \[/, 'Go decodes a list of numbers as bytes'],
];

let assembly: Assembly;

beforeAll(async () => {
  assembly = await startAssembly();
});

afterAll(() => assembly.close());

/** The compared part of a response: status, kind and reason; with INVALID_VALUES_WORDS also message and details. */
function summaryOf(code: number, { kind, reason, message, details }: JsonObject): string {
  if (code < 300) return 'accepted';
  const words = process.env['INVALID_VALUES_WORDS'] === undefined ? '' : JSON.stringify([message, details]);
  return `${code} ${JSON.stringify([kind, reason])} ${words}`.replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/g, 'TIME');
}

describeWithServer('invalid values', { real: true }, (server) => {
  test('invalid values in built-in kinds are rejected by both servers alike', async () => {
    const all = wrongValues(assembly.registry.all()).filter(
      ({ title }, at) => at % STEP === FIRST && !KNOWN.some(([known]) => known.test(title)),
    );
    const differing: string[] = [];
    async function compare(): Promise<void> {
      for (let one = all.pop(); one !== undefined; one = all.pop()) {
        const request = { method: 'POST', path: one.target, body: one.body } as const;
        // A retry is safe, since nothing is stored; an idle connection may have been closed.
        const { status, text } = await server()
          .call(request)
          .catch(() => server().call(request));
        const ours = await ask(assembly, { method: 'POST', target: one.target, body: one.body });
        const [mine, wanted] = [summaryOf(ours.code, ours.value), summaryOf(status, JSON.parse(text))];
        if (mine !== wanted) differing.push(`${one.title}\n  ${mine}\n  ${wanted}`);
      }
    }
    await Promise.all(Array.from({ length: CONCURRENCY }, compare));
    expect(differing).toEqual([]);
  }, 1_800_000);
});
