import { afterAll, beforeAll, expect, test } from '@jest/globals';

import type { Assembly } from '../../src/server/assembly.js';
import type { JsonObject } from '../../src/json.js';
import { wrongValues } from '../unit/hostile/wrongvalues.js';
import { ask, startAssembly } from '../unit/hostile/fixture.js';
import { describeWithServer } from '../../testing/controlplane/suite.js';

/** Every so manyth of the requests; another first one is another part of them. 1 compares all, in many minutes. */
const STEP = Number(process.env['MISFIT_STEP'] ?? 53);
const FIRST = Number(process.env['MISFIT_FIRST'] ?? 0);
/** Asked at once of the server over the wire. */
const AT_ONCE = 8;
/** Where the embedded server is more lenient or stricter, and why that does no harm. */
const KNOWN: readonly (readonly [RegExp, string])[] = [
  [
    /SubjectAccessReview spec\.resourceAttributes\.(label|field)Selector/,
    'rules are not made for selectors: what is in them is not looked at',
  ],
  [/fieldsV1.* = 1e400$/, 'a number beyond all numbers is refused even where Go keeps it as text'],
  [/\.caBundle = \[/, 'Go reads a list of numbers for bytes'],
];

let rooms: Assembly;

beforeAll(async () => {
  rooms = await startAssembly();
});

afterAll(() => rooms.close());

/** What both have to say alike: whether it is taken, and why not; with MISFIT_WORDS in every word. */
function said(code: number, { kind, reason, message, details }: JsonObject): string {
  if (code < 300) return 'taken';
  const words = process.env['MISFIT_WORDS'] === undefined ? '' : JSON.stringify([message, details]);
  return `${code} ${JSON.stringify([kind, reason])} ${words}`.replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/g, 'TIME');
}

describeWithServer('wrong values in fields of built-in kinds', { real: true }, (server) => {
  test('are refused by the embedded server as by kube-apiserver', async () => {
    const all = wrongValues(rooms.registry.all()).filter(
      ({ title }, at) => at % STEP === FIRST && !KNOWN.some(([known]) => known.test(title)),
    );
    const differing: string[] = [];
    async function compare(): Promise<void> {
      for (let one = all.pop(); one !== undefined; one = all.pop()) {
        const request = { method: 'POST', path: one.target, body: one.body } as const;
        // An idle connection may have been closed just then; nothing is written here.
        const { status, text } = await server()
          .call(request)
          .catch(() => server().call(request));
        const ours = await ask(rooms, { method: 'POST', target: one.target, body: one.body });
        const [mine, wanted] = [said(ours.code, ours.value), said(status, JSON.parse(text))];
        if (mine !== wanted) differing.push(`${one.title}\n  ${mine}\n  ${wanted}`);
      }
    }
    await Promise.all(Array.from({ length: AT_ONCE }, compare));
    expect(differing).toEqual([]);
  }, 1_800_000);
});
