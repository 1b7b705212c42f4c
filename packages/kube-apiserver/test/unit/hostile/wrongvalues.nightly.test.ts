import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import type { Assembly } from '../../../src/server/assembly.js';
import { wrongValues } from './wrongvalues.js';
import { ask, startAssembly } from './fixture.js';

/** Every nth request; the offset selects another part of them. */
const STEP = Number(process.env['INVALID_VALUES_STEP'] ?? 11);
const FIRST = Number(process.env['INVALID_VALUES_FIRST'] ?? 0);

let assembly: Assembly;

beforeAll(async () => {
  assembly = await startAssembly();
});

afterAll(() => assembly.close());

describe('a wrong value in any field of any built-in kind', () => {
  it('a wrong value in any field of any built-in kind is accepted, or refused by a Status with a reason', async () => {
    const all = wrongValues(assembly.registry.all());
    expect(all.length).toBeGreaterThan(10_000);
    const odd: string[] = [];
    let refused = 0;
    for (let at = FIRST; at < all.length; at += STEP) {
      const one = all[at];
      if (one === undefined) continue;
      const { code, value } = await ask(assembly, { method: 'POST', target: one.target, body: one.body });
      if (code < 300) continue;
      refused += 1;
      const { kind, reason, message } = value;
      if (kind !== 'Status' || (code !== 400 && code !== 422) || typeof message !== 'string' || message === '')
        odd.push(`${one.title}: ${code} ${JSON.stringify([reason, message])}`);
    }
    expect(refused).toBeGreaterThan(all.length / STEP / 3);
    expect(odd).toEqual([]);
  }, 900_000);
});
