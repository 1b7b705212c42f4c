import { describe, expect, it } from '@jest/globals';

import { compileRules, runRules } from '@multicluster-engine/cel/rules';
import type { Json } from '@multicluster-engine/values/json';
import { root, updates, type Write } from './tables/updates.js';

function object(name: string, spec: Json): Json {
  return { apiVersion: 'o3.example.com/v1', kind: 'Upd', metadata: { name }, spec };
}

/** Unnamed writes are named by their index among the unnamed ones. */
const cases = updates.map(
  (write, index) =>
    [
      `${index}: ${JSON.stringify(write.old ?? null)} → ${JSON.stringify(write.next)}`,
      write,
      write.name ?? `u-${updates.slice(0, index).filter(({ name }) => name === undefined).length}`,
    ] as const,
);

describe('evaluation of rules on writes', () => {
  it('the recorded writes use rules that compile', () => {
    expect(compileRules(root, 'schema')).toEqual([]);
  });

  it.each(cases)(
    'a write reports the errors and warnings of kube-apiserver: %s',
    (_title, { old, next, errors, warnings = [] }: Write, name) => {
      const found = runRules(root, object(name, next), old === undefined ? undefined : object(name, old), { path: '' });
      expect(found.errors.map(({ reason, field, message }) => `${reason}|${field}|${message}`).sort()).toEqual(errors);
      expect([...found.warnings].sort()).toEqual(warnings);
    },
  );
});
