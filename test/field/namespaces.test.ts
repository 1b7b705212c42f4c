/**
 * The deletion of a namespace. `kubectl delete ns` takes its Placements, decisions and budgets, and nobody could see before
 * which clusters lose what.
 *
 * Right is: `plan --delete ns/NAME` shows it, under each name that kubectl has for the kind; a namespace with nothing in it is an
 * error, since it is most often a misspelt one.
 */
import { expect, it } from '@jest/globals';

import { NotFoundError } from '../../src/cli/output.js';
import { ChangeTextError } from '../../src/cli/plan/changes.js';
import { planChange, type PlanOutput } from '../../src/cli/plan/command.js';
import { exampleWorld } from '../support/builders/examplefleet.js';
import { readingOf } from '../support/builders/hubfacts.js';

function plan(deletions: readonly string[], namespace?: string): PlanOutput {
  const request = { namespace: 'default', manifests: undefined, complete: false, labels: [] } as const;
  const output = { maxRemovals: { kind: 'number', value: 0 }, output: 'text', colored: false } as const;
  return planChange({ ...readingOf(exampleWorld()), namespace }, { ...request, ...output, deletions });
}

it.each(['ns/shop', 'namespace/shop', 'Namespaces/shop'])('plan --delete %s shows what leaves with it', (text) => {
  const { text: shown, errors, exitCode } = plan([text]);

  expect(shown).toContain('  - prod-us-1  the Placement is deleted\n');
  expect(shown).toContain('Plan: 0 to add, 3 to remove, 0 to stay, 0 held, in 1 of 1 Placements.\n');
  expect([errors, exitCode]).toEqual([
    ['--max-removals: shop/web would lose 3 of 3 clusters, and at most 0 may leave'],
    1,
  ]);
});

it('plan --delete of the bindings with their namespace is the same as of the namespace alone', () => {
  expect(plan(['ns/shop', 'mcl/prod-us-1']).text).toBe(plan(['mcl/prod-us-1', 'ns/shop']).text);
});

it('plan --delete refuses a namespace with nothing in it, and one that could not be read', () => {
  expect(() => plan(['ns/shp'])).toThrow(
    new NotFoundError('there is no Placement, decision or ManagedClusterSetBinding in namespace shp'),
  );
  expect(() => plan(['ns/shop'], 'bank')).toThrow(
    new ChangeTextError('Namespace shop: only namespace bank could be read'),
  );
});
