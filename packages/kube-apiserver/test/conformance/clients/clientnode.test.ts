import { beforeAll, describe, expect, it } from '@jest/globals';

import { describeOnAllServers } from '../suite.js';
import { useTypedClients } from './clientnode.js';
import { useInformer } from './informer.js';

const SCENARIO_MS = 300_000;

describeOnAllServers('@kubernetes/client-node', (targets) => {
  describe('the typed clients', () => {
    let seen: readonly (readonly string[])[] = [];
    beforeAll(async () => {
      seen = await Promise.all(targets().map(useTypedClients));
    }, SCENARIO_MS);

    it('see the same on each server', () => {
      for (const lines of seen) expect(lines).toEqual(seen[0]);
    });

    it('see what was done', () => {
      expect(seen).not.toEqual([]);
      for (const lines of seen) {
        expect(lines).toContain('first page: ["one","three"]');
        expect(lines).toContain('second page: ["two"]');
        expect(lines).toContain('by force: {"applied":"no","at":"two","merge":"yes","more":"1"}');
      }
    });
  });

  it(
    'has an informer that misses nothing while its watches end',
    async () => {
      const seen = await Promise.all(targets().map(useInformer));
      const told = [
        'add: ["early","0"]',
        'add: ["late","1"]',
        'update: ["early","2"]',
        'delete: ["early","2"]',
        'delete: ["late","1"]',
        'held at last: 0',
        'lists: 1',
      ];
      for (const lines of seen) expect(lines).toEqual(told);
    },
    SCENARIO_MS,
  );
});
