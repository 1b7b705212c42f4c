import { describe, expect, it } from '@jest/globals';
import { load } from 'js-yaml';
import { eventsAbout, type EventRow } from '../../../src/answers/explain/events.js';
import { explainPlacement, type ExplainRequest } from '../../../src/cli/commands/explain.js';
import { TAINTS } from '../../../src/api/names.js';
import { NotFoundError } from '../../../src/answers/output.js';
import type { World } from '../../../src/answers/world/world.js';
import { EXAMPLE_SPEC, exampleClusters, exampleWorld } from '../../support/builders/examplefleet.js';
import { predicate, rawCluster, rawDecision, rawSet, rawBinding } from '../../support/builders/world.js';
import { taint } from '../../support/builders/taints.js';

const REQUEST: ExplainRequest = {
  namespace: 'shop',
  placement: 'web',
  cluster: undefined,
  nearest: 1,
  output: 'text',
  colored: false,
};
function output(world: World, over: Partial<ExplainRequest> = {}): string {
  return explainPlacement(world, { ...REQUEST, ...over });
}

describe('explain placement', () => {
  it('explain of a held cluster shows the labels that end the hold, and none for others: the decision is full', () => {
    const held = { set: 'production', labels: { tier: 'silver' } };
    const world = exampleWorld(
      { ...EXAMPLE_SPEC, disruptionBudget: { maxRemovals: 0 } },
      { managedclusters: exampleClusters({ 'prod-us-1': rawCluster('prod-us-1', held) }) },
    );

    expect(output(world, { cluster: 'prod-us-1' })).toContain(
      '  predicate 0: label tier=gold, found silver\n    fix: kubectl label mcl prod-us-1 tier=gold --overwrite\n',
    );
    expect(output(world)).not.toContain('to select');
  });

  it.each([
    { of: 'a held cluster', spec: { ...EXAMPLE_SPEC, disruptionBudget: { maxRemovals: 0 } }, tier: 'silver' },
    { of: 'a cluster that stays since the spec is invalid', spec: { numberOfClusters: -1 }, tier: 'gold' },
    { of: 'a cluster that is not needed', spec: { numberOfClusters: 0 }, tier: 'gold' },
  ])('explain of $of does not give a taint that removes no cluster as the reason', ({ spec, tier }) => {
    const taints = [taint(TAINTS.cordoned, { effect: 'NoSelectIfNew' })];
    const managedclusters = exampleClusters({
      'prod-us-1': rawCluster('prod-us-1', { set: 'production', labels: { tier }, taints }),
    });
    const world = exampleWorld(spec, { managedclusters });

    for (const request of [{}, { cluster: 'prod-us-1' }, { output: 'json' as const }])
      expect(output(world, request)).not.toContain(TAINTS.cordoned);
  });

  it.each([
    [13, []],
    [14, ['1 more is NotNeeded']],
    [30, ['17 more are NotNeeded']],
  ])('explain shows at most ten clusters that are not needed, and of %i clusters says: %j', (length, said) => {
    const managedclusters = Array.from({ length }, (_, index) => rawCluster(`c${index}`, { set: 'edge' }));
    const over = {
      managedclusters,
      placementdecisions: [rawDecision(1, [])],
      managedclustersets: [rawSet('edge')],
      managedclustersetbindings: [rawBinding('edge')],
    };
    const lines = output(exampleWorld({ numberOfClusters: 3 }, over)).split('\n');

    expect(lines.filter((line) => line.includes('NotNeeded  '))).toHaveLength(10);
    expect(lines.filter((line) => line.includes(' more '))).toEqual(said);
  });

  it.each([
    { of: 'a Placement', request: { placement: 'nope' }, message: 'Placement shop/nope was not found' },
    {
      of: 'a cluster',
      request: { cluster: 'nope' },
      message: 'ManagedCluster nope was not found: it is not in cluster sets edge, production',
    },
  ])('explain of $of that is not there says so', ({ request, message }) => {
    expect(() => output(exampleWorld(), request)).toThrow(new NotFoundError(message));
  });

  it('explain of a cluster without the right to read clusters says what is missing', () => {
    const world = exampleWorld(EXAMPLE_SPEC, { managedclusters: [] }, [
      { resource: 'managedclusters', verb: 'list', status: 403 },
    ]);

    expect(output(world, { cluster: 'edge-eu-2' })).toBe(
      'edge-eu-2 is selected; why is not known\n' +
        'not readable: managedclusters (list: 403): verdicts Unknown; the rest is from status and decisions\n',
    );
    expect(() => output(world, { cluster: 'nope' })).toThrow(
      'cluster nope is not in the decision; more is not known, since managedclusters could not be read',
    );
  });

  it('control characters of a claim reach no terminal', () => {
    const evil = `\u001b]0;x\u0007\u009b31m\u202e`;
    const spec = { predicates: [predicate({}, [], [{ key: 'os', operator: 'In', values: ['linux'] }])] };
    const world = exampleWorld(spec, {
      managedclusters: [rawCluster('a', { set: 'production', claims: { os: evil } })],
    });

    for (const cluster of [undefined, 'a']) expect(output(world, { cluster })).toMatch(/^[\x20-\x7e\n]*$/);
  });
});

it('the YAML of explain placement holds what the JSON does', () => {
  expect(load(output(exampleWorld(), { output: 'yaml' }))).toEqual(
    JSON.parse(output(exampleWorld(), { output: 'json' })),
  );
});

describe('events of a name that several Placements had', () => {
  it('are those of the present one, and those that name no uid', () => {
    const about = { kind: 'Placement', namespace: 'shop', name: 'web', type: 'Normal', count: 1 };
    const event = { time: '2026-11-22T12:00:00Z', reason: 'DecisionChanged' };
    const rowOf = (uid: string, note: string): EventRow => ({ ...about, ...event, uid, note });
    const rows = [
      rowOf('old', 'removed 1 cluster: a'),
      rowOf('now', 'removed 1 cluster: b'),
      rowOf('now', 'added 1 cluster: d'),
      rowOf('', 'removed 1 cluster: c'),
    ];

    expect(eventsAbout({ rows, withheld: undefined }, 'now', 0).events).toEqual([
      { ...event, note: 'removed 1 cluster: b' },
      { ...event, note: 'removed 1 cluster: c' },
    ]);
  });
});
