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

    it('the typed clients of client-node get the same results on each server', () => {
      for (const lines of seen) expect(lines).toEqual(seen[0]);
    });

    it('the typed clients of client-node get the expected results', () => {
      expect(seen).not.toEqual([]);
      for (const lines of seen) {
        expect(lines).toContain('first page: ["one","three"]');
        expect(lines).toContain('second page: ["two"]');
        expect(lines).toContain('by force: {"applied":"no","at":"two","merge":"yes","more":"1"}');
      }
    });
  });

  it(
    'an informer of client-node reports every change while its watches end repeatedly',
    async () => {
      const seen = await Promise.all(targets().map(useInformer));
      const expected = [
        'add: ["early","0"]',
        'add: ["late","1"]',
        'update: ["early","2"]',
        'delete: ["early","2"]',
        'delete: ["late","1"]',
        'held at last: 0',
        'lists: 1',
      ];
      for (const lines of seen) expect(lines).toEqual(expected);
    },
    SCENARIO_MS,
  );
});
