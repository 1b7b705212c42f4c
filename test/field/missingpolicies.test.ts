// Users installed the bundle for OLM alone, which cannot contain admission policies, or deleted policies later. The engine was
// Ready, and only `check` knew better. Right is: the engine is not Ready, its message names the policies and the command that
// brings them back, `check` says the same, and nothing else of the engine changes.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { AdmissionPolicies, AdmissionPolicyBindings } from '../../src/runtime/vocabulary/kinds.js';
import type { KubeObject, ResourceType, RawObject } from '../../src/runtime/vocabulary/meta.js';
import { LIMITING_POLICIES, PROTECTING_POLICIES } from '../../src/domain/engine/policies.js';
import { checkPolicies } from '../../src/answers/check/definitions.js';
import { NAMESPACE } from '../support/builders/engine.js';
import { installCrds } from '@multicluster-engine/kube-apiserver/testing/controlplane/install';
import { describeWithServer } from '@multicluster-engine/kube-apiserver/testing/controlplane/suite';
import { applyOverlay } from '../integration/deploy/overlay.js';
import { EngineRig } from '../support/rigs/controllers/engine.js';
import { OperatorRig, User } from '../support/rigs/server/engine.js';

const OWN = [...LIMITING_POLICIES, ...PROTECTING_POLICIES];
const LONG_MS = 240_000;
const WELL = 'every component is applied and available';

/** An engine that is rolled out, and an operator that has read the policies; `over`: what flags of the operator set. */
async function installed(over: { onlyNamespace?: string } = {}): Promise<EngineRig> {
  const rig = new EngineRig({ settings: over });
  for (const { name, action } of OWN) {
    rig.api.put(AdmissionPolicies, { metadata: { name } });
    rig.api.put<RawObject>(AdmissionPolicyBindings, {
      metadata: { name },
      spec: { policyName: name, validationActions: [action] },
    });
  }
  Object.values(rig.caches.admission).forEach((cache) => cache.start());
  rig.create();
  await rig.converge();
  rig.rollOut();
  await rig.converge();
  return rig;
}

function ready(rig: EngineRig): unknown {
  const { conditions = [], phase } = rig.engine().status ?? {};
  const { reason, message } = conditions.find(({ type }) => type === 'Ready') ?? {};
  return [phase, reason, message, ...conditions.filter(({ status }) => status === 'True').map(({ type }) => type)];
}

async function without(rig: EngineRig, type: ResourceType, names: readonly string[]): Promise<unknown> {
  for (const name of names) rig.api.remove(type, { name });
  await rig.converge();
  return ready(rig);
}

function checked(rig: EngineRig): readonly string[] {
  const known = <T extends KubeObject>(type: ResourceType) => ({ kind: 'Known', value: rig.api.all<T>(type) }) as const;
  const stored = { policies: known(AdmissionPolicies), bindings: known<RawObject>(AdmissionPolicyBindings) };
  return checkPolicies(stored, true).map(
    ({ message, remedy }) => `${message}${remedy === undefined ? '' : `: ${remedy}`}`,
  );
}

describe('an engine whose admission policies are missing', () => {
  it.each(['policies', 'bindings'] as const)(
    'is not Ready, and names one of the %s that is gone with the command for it, as check does',
    async (what) => {
      const type = what === 'policies' ? AdmissionPolicies : AdmissionPolicyBindings;
      const rig = await installed();
      expect(ready(rig)).toEqual(['Available', 'EngineReady', WELL, 'Ready', 'Available']);

      const text =
        'admission policies that are not in force: multicluster-engine-objects: without them the roles allow more than ' +
        'intended: kubectl apply --server-side -f deploy/base/policies/objects.yaml';
      const seen = await without(rig, type, ['multicluster-engine-objects']);

      expect(seen).toEqual(['Progressing', 'PoliciesMissing', text, 'Available']);
      expect(checked(rig)[0]).toBe(text);
      expect(rig.events.filter(({ reason }) => reason === 'PoliciesMissing')).toHaveLength(1);
    },
  );

  it('names the command for all of them where none came with the installation', async () => {
    const rig = await installed();

    const seen = await without(
      rig,
      AdmissionPolicies,
      OWN.map(({ name }) => name),
    );

    expect(seen).toEqual([
      'Progressing',
      'PoliciesMissing',
      expect.stringMatching(
        /: kubectl apply --server-side -f deploy\/base\/policies\/ -f deploy\/definitions\/policies\/definitions.yaml -f \S+$/,
      ),
      'Available',
    ]);
    expect(checked(rig)[0]).toMatch(/: kubectl apply --server-side -f deploy\/base\/policies\/adoption.yaml -f /);
  });

  it('stays Ready without those against mistakes, which may be left out, and says so', async () => {
    const rig = await installed();
    const text =
      'policies against accidental deletions that are not in force: multicluster-engine-in-use: ' +
      'kubectl apply --server-side -f deploy/base/policies/in-use.yaml';

    const seen = await without(rig, AdmissionPolicies, ['multicluster-engine-in-use']);

    expect(seen).toEqual(['Available', 'EngineReady', `${WELL}; ${text}`, 'Ready', 'Available']);
    expect(checked(rig)[1]).toBe(text);
  });

  it('is Ready again when they are back', async () => {
    const rig = await installed();
    await without(rig, AdmissionPolicies, ['multicluster-engine-target']);
    expect(ready(rig)).toContain('PoliciesMissing');

    rig.api.put(AdmissionPolicies, { metadata: { name: 'multicluster-engine-target' } });
    await rig.converge();

    expect(ready(rig)).toEqual(['Available', 'EngineReady', WELL, 'Ready', 'Available']);
  });

  it.each([
    ['Ready', 'EngineReady', { matchPolicy: 'Equivalent', namespaceSelector: {}, objectSelector: {} }],
    ['not Ready', 'PoliciesMissing', { objectSelector: { matchLabels: { a: 'b' } } }],
    ['not Ready', 'PoliciesMissing', { namespaceSelector: { matchExpressions: [{ key: 'a', operator: 'Exists' }] } }],
    ['not Ready', 'PoliciesMissing', { excludeResourceRules: [{ resources: ['*'] }] }],
    ['not Ready', 'PoliciesMissing', { resourceRules: [{ resources: ['leases'] }] }],
  ])('is %s (%s) where a binding matches %j', async (_, reason, matchResources) => {
    const rig = await installed();
    const name = 'multicluster-engine-agents';

    rig.api.put<RawObject>(AdmissionPolicyBindings, {
      metadata: { name },
      spec: { policyName: name, validationActions: ['Deny'], matchResources },
    });
    await rig.converge();

    expect(ready(rig)).toContain(reason);
    expect(checked(rig)[0]).toContain(reason === 'EngineReady' ? 'are in force' : `not in force: ${name}`);
  });

  it('needs no policy of the target namespace where that is fixed', async () => {
    const rig = await installed({ onlyNamespace: 'multicluster-engine' });

    expect(await without(rig, AdmissionPolicies, ['multicluster-engine-target'])).toContain('EngineReady');
  });
});

describeWithServer('the policies of an engine on a server', { own: true }, (server) => {
  let user: User;
  let operator: OperatorRig;

  beforeAll(async () => {
    await installCrds(server());
    user = new User(server());
    await applyOverlay(server(), 'default');
    operator = await OperatorRig.start(server());
    await user.apply('hub', {});
    await user.rollOut(NAMESPACE);
    await user.reaches('hub', 'Available EngineReady');
  }, LONG_MS);
  afterAll(async () => {
    await operator.stop();
    await user.close();
  }, LONG_MS);

  it(
    'the rights of the operator let the engine name a policy that is deleted, and it writes its status alone',
    async () => {
      const mark = await user.mark();

      await user.destroy(AdmissionPolicies, { name: 'multicluster-engine-agents' });

      const message = await user.reaches('hub', 'Progressing PoliciesMissing');
      expect(message).toContain(': kubectl apply --server-side -f deploy/base/policies/agents.yaml');
      expect(await user.writes(mark)).toEqual(['update multiclusterengines/status hub 200']);
    },
    LONG_MS,
  );

  it(
    'an operator without the right to read them says that it does not know, and is Ready',
    async () => {
      await operator.stop();
      const role = '/apis/rbac.authorization.k8s.io/v1/clusterroles/multicluster-engine-operator';
      const { rules = [] } = JSON.parse((await server().call({ method: 'GET', path: role })).text) as {
        rules?: readonly { readonly apiGroups: readonly string[] }[];
      };
      const left = rules.filter(({ apiGroups }) => !apiGroups.includes('admissionregistration.k8s.io'));
      const contentType = 'application/merge-patch+json';
      await server().call({ method: 'PATCH', path: role, body: { rules: left }, contentType });

      operator = await OperatorRig.start(server());

      expect(await user.reaches('hub', 'Available EngineReady', 'policies')).toContain(
        'whether the admission policies are in force is not known; not readable: validatingadmissionpolic',
      );
    },
    LONG_MS,
  );
});
