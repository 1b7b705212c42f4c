import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { load } from 'js-yaml';
import { NotFoundError } from '../../../src/answers/output.js';
import { ChangeTextError, deletion, labelChange } from '../../../src/answers/plan/changes.js';
import { planChange, type PlanRequest } from '../../../src/cli/commands/plan.js';
import { ProgressLine } from '../../../src/cli/terminal/progressline.js';
import type { World } from '../../../src/answers/world/world.js';
import { EXAMPLE_SPEC, exampleWorld } from '../../support/builders/examplefleet.js';
import { readingOf } from '../../support/builders/hubinput.js';
import { root } from '../../support/repository/root.js';

const REQUEST: PlanRequest = {
  namespace: 'shop',
  manifests: undefined,
  complete: false,
  deletions: [],
  labels: [],
  maxRemovals: undefined,
  maxAdditions: undefined,
  output: 'text',
  colored: false,
};
function plan(world: World, over: Partial<PlanRequest>): ReturnType<typeof planChange> {
  return planChange(readingOf(world), { ...REQUEST, ...over });
}

describe('the changes of a command line', () => {
  it.each(['mclset/a', 'managedclusterset/a', 'ManagedClusterSets/a', 'managedclustersets.cluster.fleetmgmt.io/a'])(
    '--delete %s names a set',
    (text) => {
      expect(deletion(text, 'shop')).toEqual({ kind: 'delete', resource: 'managedclustersets', object: { name: 'a' } });
    },
  );

  it('every short name of the CustomResourceDefinitions is taken', () => {
    const folder = path.join(root, 'crds');
    const names = readdirSync(folder).flatMap((file) => {
      const crd = load(readFileSync(path.join(folder, file), 'utf8')) as {
        spec: { group: string; names: { plural: string; singular: string; shortNames?: string[] } };
      };
      const { plural, singular, shortNames = [] } = crd.spec.names;
      const isPlanned = crd.spec.group === 'cluster.fleetmgmt.io' && plural !== 'placementdecisions';
      return isPlanned ? [plural, singular, ...shortNames].map((name) => [name, plural]) : [];
    });

    expect(names.length).toBeGreaterThan(8);
    for (const [name, plural] of names) expect(deletion(`${name}/a`, 'shop')).toMatchObject({ resource: plural });
  });

  it('an object of a namespaced kind is in the namespace of the command', () => {
    expect(deletion('placement/web', 'shop')).toMatchObject({ object: { namespace: 'shop', name: 'web' } });
  });

  it.each([
    ['mcl/a:tier=gold', 'tier', 'gold'],
    ['mcl/a:example.com/tier=', 'example.com/tier', ''],
    ['mcl/a:x-y=1', 'x-y', '1'],
    ['managedcluster/a:tier-', 'tier', undefined],
  ])('--set %s', (text, key, value) => {
    expect(labelChange(text)).toEqual({
      kind: 'label',
      resource: 'managedclusters',
      object: { name: 'a' },
      key,
      value,
    });
  });

  it.each([
    [(): unknown => deletion('production', 'shop'), '--delete must be KIND/NAME, got "production"'],
    [
      (): unknown => deletion('crd/managedclusters.cluster.fleetmgmt.io', 'shop'),
      '--delete: a definition is not planned; managedclusters.cluster.fleetmgmt.io takes with it every ManagedCluster: every decision then stays as it is until the objects are back or somebody releases the clusters (docs/how-to/recover-from-a-mistake.md)',
    ],
    [
      (): unknown => deletion('customresourcedefinitions.apiextensions.k8s.io/placements.cluster.fleetmgmt.io', 'shop'),
      '--delete: a definition is not planned; placements.cluster.fleetmgmt.io takes with it every Placement, with its decision and what it holds (docs/how-to/recover-from-a-mistake.md)',
    ],
    [
      (): unknown => deletion('crd/placements.example.com', 'shop'),
      '--delete: the kind must be one of fpl, mcl, mclset, mclsetbinding, ns, got "crd"',
    ],
    [
      (): unknown => deletion('pod/a', 'shop'),
      '--delete: the kind must be one of fpl, mcl, mclset, mclsetbinding, ns, got "pod"',
    ],
    [(): unknown => labelChange('mcl/a:tier'), '--set must be mcl/NAME:KEY=VALUE or mcl/NAME:KEY-, got "mcl/a:tier"'],
    [(): unknown => labelChange('mclset/a:x=y'), '--set takes labels of mcl, got "mclset"'],
    [
      (): unknown => labelChange('mcl/a:the tier=gold'),
      '--set: "the tier" is not a label key: at most 63 letters, digits, "-", "_" and ".", with a letter or digit at both ends, with an optional DNS name and "/" before it',
    ],
    [
      (): unknown => labelChange('mcl/a:tier=white gold'),
      '--set: "white gold" is not a label value: empty, or at most 63 letters, digits, "-", "_" and ".", with a letter or digit at both ends',
    ],
  ])('a change that cannot be read is refused, %#', (read, message) => {
    expect(read).toThrow(new ChangeTextError(message));
  });

  it('a change of what does not exist says what is missing', () => {
    const missing = (): unknown => plan(exampleWorld(), { deletions: ['placement/nope'] });

    expect(missing).toThrow(NotFoundError);
    expect(missing).toThrow('Placement shop/nope was not found');
  });

  it('a change in a namespace that could not be read is refused', () => {
    const refused = [{ resource: 'placements', verb: 'list', status: 403 }] as const;
    const before = { world: exampleWorld(), namespace: 'shop', refused };
    const request = { ...REQUEST, namespace: 'bank', deletions: ['placement/web'] };

    expect(() => planChange(before, request)).toThrow('Placement bank/web: only namespace shop could be read');
  });

  it('without the right to list Placements nothing is known, and the exit code says so', () => {
    const world = exampleWorld(EXAMPLE_SPEC, { placements: [] }, [
      { resource: 'placements', verb: 'list', status: 403 },
    ]);
    const { exitCode, errors } = plan(world, { deletions: ['mclset/production'] });

    expect([exitCode, errors]).toEqual([3, ['not everything could be read']]);
  });

  it('complete files replace all objects but decisions', () => {
    const manifests = [
      { apiVersion: 'cluster.fleetmgmt.io/v1alpha1', kind: 'ManagedCluster', metadata: { name: 'a' } },
    ];
    const { text } = plan(exampleWorld(), { manifests, complete: true });

    expect(text).toContain('shop/web  deleted: 3 -> 0 clusters\n');
    expect(plan(exampleWorld(), { complete: true }).exitCode).toBe(0);
  });
});

it('the YAML of plan holds what the JSON does', () => {
  const request = { deletions: ['mcl/prod-us-1'] };

  expect(load(plan(exampleWorld(), { ...request, output: 'yaml' }).text)).toEqual(
    JSON.parse(plan(exampleWorld(), { ...request, output: 'json' }).text),
  );
});

describe('the progress line', () => {
  it('a terminal shows one line, which is gone at the end', () => {
    const written: string[] = [];
    const line = new ProgressLine({ isTTY: true, write: (text) => written.push(text) });
    line.count('managedclusters', 500);
    line.count('placements', 20);
    line.clear();

    expect(written).toEqual([
      '\r\u001b[Kreading: 500 managedclusters',
      '\r\u001b[Kreading: 500 managedclusters, 20 placements',
      '\r\u001b[K',
    ]);
  });

  it('nothing is written where there is no terminal', () => {
    const written: string[] = [];
    const line = new ProgressLine({ write: (text) => written.push(text) });
    line.count('managedclusters', 500);
    line.clear();

    expect(written).toEqual([]);
  });
});
