/**
 * A namespace that is named by mistake, or deleted with what is in it. `check -n shp` said that all is well of a namespace that
 * does not exist. `kubectl delete ns` takes its Placements, decisions and budgets, and nobody could see before
 * which clusters lose what.
 *
 * Right is: `check -n` fails where there is no such namespace, and says so where it may not know; `plan --delete ns/NAME` shows it, under each name that kubectl has for the kind; a namespace with nothing in it is an
 * error, since it is most often a misspelt one.
 */
import { describe, expect, it } from '@jest/globals';

import type { KubeObject } from '../../src/runtime/vocabulary/meta.js';
import { PLACEMENT_LEASE } from '../../src/api/names.js';
import { Placements } from '../../src/api/resources.js';
import { Namespaces } from '../../src/runtime/vocabulary/kinds.js';
import { readHubInput, type HubInput } from '../../src/answers/check/input.js';
import { checkHub } from '../../src/answers/check/hub.js';
import { checkExitCode } from '../../src/cli/commands/check.js';
import { NotFoundError } from '../../src/answers/output.js';
import { ChangeTextError } from '../../src/answers/plan/changes.js';
import { planChange, type PlanOutput } from '../../src/cli/commands/plan.js';
import { worldOf } from '../../src/answers/world/world.js';
import { FakeApi } from '../support/fakes/api.js';
import { ManualClock } from '@multicluster-engine/kube-apiserver/testing/clock';
import { exampleWorld } from '../support/builders/examplefleet.js';
import { hubFacts, rawEngine, readingOf } from '../support/builders/hubinput.js';

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
    new NotFoundError(
      'there is no Placement, decision or ManagedClusterSetBinding in namespace shp; did you mean shop?',
    ),
  );
  expect(() => plan(['ns/shop'], 'bank')).toThrow(
    new ChangeTextError('Namespace shop: only namespace bank could be read'),
  );
});

describe('check -n of a namespace without a Placement', () => {
  const checked = (absence: HubInput['absence'], over: Partial<HubInput> = {}): unknown => {
    const reading = readingOf(worldOf({ multiclusterengines: [rawEngine()] }), { namespace: 'shp' });
    const results = checkHub(hubFacts({ reading, absence, ...over }));
    const { status, message, remedy } = results.find(({ name }) => name === 'placements') ?? {};
    return { exitCode: checkExitCode(results), status, message, remedy };
  };

  it('fails when the namespace does not exist', () => {
    expect(checked({ kind: 'Known', value: 'there is no Namespace shp; did you mean shop?' })).toEqual({
      exitCode: 1,
      status: 'Failed',
      message: 'there is no Namespace shp; did you mean shop?',
      remedy: 'kubectl get namespaces',
    });
  });

  it('fails also where it is not known whether a controller runs', () => {
    const lease = { kind: 'Withheld', resource: 'leases', verb: 'get', status: 403 } as const;
    const absence = { kind: 'Known', value: 'there is no Namespace shp; did you mean shop?' } as const;

    expect(checked(absence, { placementLease: { name: PLACEMENT_LEASE, lease } })).toMatchObject({
      status: 'Failed',
      message: 'there is no Namespace shp; did you mean shop?',
    });
  });

  it('says that it is not known whether the namespace exists', () => {
    expect(checked({ kind: 'Withheld', resource: 'namespaces', verb: 'get', status: 403 })).toMatchObject({
      exitCode: 3,
      status: 'Unknown',
      message: expect.stringMatching(
        /^whether there is a namespace shp, which has no Placement, .*namespaces \(get: 403\)/,
      ),
    });
  });

  it('passes when the namespace exists, and says that nothing is in it', () => {
    expect(checked({ kind: 'Known', value: undefined })).toMatchObject({
      exitCode: 0,
      message: 'there is no Placement in namespace shp',
    });
  });

  it('reads the namespace only where there is no Placement in it', async () => {
    const hub = new FakeApi(new ManualClock());
    hub.put<KubeObject>(Namespaces, { metadata: { name: 'shop' } });
    hub.put<KubeObject>(Namespaces, { metadata: { name: 'empty' } });
    hub.put<KubeObject>(Placements, { metadata: { namespace: 'shop', name: 'web' } });
    const read = async (namespace: string | undefined): Promise<unknown> => {
      const options = { now: 0, version: '0.1.0', operatorNamespace: 'a', fallback: () => 'b', definitions: [] };
      return (await readHubInput(hub, { ...options, namespace })).absence;
    };

    expect([await read(undefined), await read('shop'), await read('empty'), await read('shp')]).toEqual([
      undefined,
      undefined,
      { kind: 'Known', value: undefined },
      { kind: 'Known', value: 'there is no Namespace shp; did you mean shop?' },
    ]);
  });
});
