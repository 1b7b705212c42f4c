import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { Explorer } from './explore/explorer.js';
import { FOUND } from './found.js';

describe('what faults have found', () => {
  let explorer: Explorer;

  beforeAll(async () => {
    explorer = await Explorer.start();
  });
  afterAll(() => explorer.close());

  it('names the request or event that each fault hits, so that others may be sent before it', () => {
    const places = FOUND.flatMap(({ plan }) => plan.faults.map(({ where }) => where));
    expect(places.filter(({ of, name }) => of !== 'client' && name === undefined)).toEqual([]);
  });

  it.each(FOUND.map((one) => [one.what, one.plan] as const))(
    'what faults have found stays mended: %s',
    async (_, plan) => {
      const { reached, violations } = await explorer.run(plan);
      expect({ reached, violations }).toEqual({ reached: plan.faults, violations: [] });
    },
  );
});
