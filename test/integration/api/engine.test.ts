import { expect, test } from '@jest/globals';

import { MultiClusterEngines } from '../../../src/api/resources.js';
import { ownName } from '@multicluster-engine/kube-apiserver/testing/names';
import { describeWithServer } from '@multicluster-engine/kube-apiserver/testing/controlplane/suite';
import { expectRefusal, many, objectOf, pathOf, tryCreate, type Rule } from './admission.js';

type Spec = Record<string, unknown>;

function toleration(fields: Record<string, unknown>): Spec {
  return { tolerations: [fields] };
}

/** One item of spec.components. */
function component(fields: Record<string, unknown>): Spec {
  return { components: [{ name: 'gateway', ...fields }] };
}

const LABELS_64 = Object.fromEntries(many(64, (index) => [`label-${index}`, 'yes']));

const RULES: readonly Rule<Spec>[] = [
  {
    rule: 'the name of the local cluster is a DNS-1123 label',
    bad: { localCluster: { enabled: true, name: 'a.b' } },
    good: { localCluster: { enabled: true, name: 'hub-1' } },
    field: 'spec.localCluster.name',
    value: '"a.b"',
    says: 'name "a.b" must be empty or the name of a ManagedCluster',
  },
  {
    rule: 'adoption is Refuse or IfUnowned',
    bad: { adoption: 'Always' },
    good: { adoption: 'IfUnowned' },
    field: 'spec.adoption',
    value: '"Always"',
    says: 'supported values: "Refuse", "IfUnowned"',
  },
  {
    rule: 'availability is High or Basic',
    bad: { availability: 'Low' },
    good: { availability: 'Basic' },
    field: 'spec.availability',
    value: '"Low"',
    says: 'supported values: "High", "Basic"',
  },
  {
    rule: 'a component has a known name',
    bad: component({ name: 'gatway' }),
    good: component({ name: 'placement-controller', enabled: false }),
    field: 'spec.components[0].name',
    value: '"gatway"',
    says: 'supported values: "console", "gateway", "placement-controller"',
  },
  {
    rule: 'a component has one item',
    bad: { components: [{ name: 'gateway' }, { name: 'gateway', enabled: false }] },
    good: { components: [{ name: 'gateway' }, { name: 'placement-controller' }] },
    field: 'spec.components[1]',
    value: '{"name":"gateway"}',
    says: 'Duplicate value',
  },
  {
    rule: 'a component has a replica at least',
    bad: component({ replicas: 0 }),
    good: component({ replicas: 1 }),
    field: 'spec.components[0].replicas',
    value: '0',
    says: 'should be greater than or equal to 1',
  },
  {
    rule: 'a component has at most 100 replicas',
    bad: component({ replicas: 101 }),
    good: component({ replicas: 100 }),
    field: 'spec.components[0].replicas',
    value: '101',
    says: 'should be less than or equal to 100',
  },
  {
    rule: 'a resource is a quantity without an exponent',
    bad: component({ resources: { requests: { cpu: '1e-805069125' } } }),
    good: component({ resources: { requests: { cpu: 1, memory: '1.5Gi' } } }),
    field: 'spec.components[0].resources.requests.cpu',
    value: '1e-805069125',
    says: "should match '^[0-9]{1,12}([.][0-9]{1,3})?(m|k|M|G|T|Ki|Mi|Gi|Ti)?$'",
  },
  {
    rule: 'a limit of memory is no slip of its unit',
    bad: component({ resources: { limits: { memory: 512 } } }),
    good: component({ resources: { limits: { memory: '64Mi' } } }),
    field: 'spec.components[0].resources.limits.memory',
    value: '512',
    says: 'must be at least 64Mi, and a number without a suffix counts bytes',
  },
  {
    rule: 'a limit of CPU lets a process start',
    bad: component({ resources: { limits: { cpu: '1m' } } }),
    good: component({ resources: { limits: { cpu: '10m' } } }),
    field: 'spec.components[0].resources.limits.cpu',
    value: '1m',
    says: 'must be at least 10m',
  },
  {
    rule: 'a request is not more than the limit',
    bad: component({ resources: { requests: { memory: '1Gi' }, limits: { memory: '512Mi' } } }),
    good: component({ resources: { requests: { memory: '1Gi' }, limits: { memory: '1024Mi' } } }),
    field: 'spec.components[0].resources.requests.memory',
    value: '1Gi',
    says: 'requests.memory must not be more than limits.memory, 512Mi',
  },
  {
    rule: 'imagePullSecret is a DNS-1123 subdomain',
    bad: { imagePullSecret: 'Registry_1' },
    good: { imagePullSecret: 'registry-1.example' },
    field: 'spec.imagePullSecret',
    value: '"Registry_1"',
    says: 'must be empty or the name of a Secret: a DNS-1123 subdomain',
  },
  {
    rule: 'imagePullSecret has at most 253 characters',
    bad: { imagePullSecret: 'a'.repeat(254) },
    good: { imagePullSecret: 'a'.repeat(253) },
    field: 'spec.imagePullSecret',
    says: 'Too long: may not be more than 253 bytes',
  },
  {
    rule: 'nodeSelector has label keys',
    bad: { nodeSelector: { 'not a key': 'yes' } },
    good: { nodeSelector: { 'node-role.kubernetes.io/infra': 'yes' } },
    field: 'spec.nodeSelector',
    value: '"not a key"',
    says: 'must be a label key',
  },
  {
    rule: 'nodeSelector has label values',
    bad: { nodeSelector: { role: 'not a value' } },
    good: { nodeSelector: { role: '' } },
    field: 'spec.nodeSelector',
    value: '"not a value"',
    says: 'must be a label value',
  },
  {
    rule: 'nodeSelector has values of at most 63 characters',
    bad: { nodeSelector: { role: 'a'.repeat(64) } },
    good: { nodeSelector: { role: 'a'.repeat(63) } },
    field: 'spec.nodeSelector.role',
    says: 'Too long: may not be more than 63 bytes',
  },
  {
    rule: 'nodeSelector has at most 64 pairs',
    bad: { nodeSelector: { ...LABELS_64, more: 'yes' } },
    good: { nodeSelector: LABELS_64 },
    field: 'spec.nodeSelector',
    value: '65',
    says: 'must have at most 64 items',
  },
  {
    rule: 'targetNamespace is a DNS-1123 label',
    bad: { targetNamespace: 'fleet.engine' },
    good: { targetNamespace: 'fleet-engine' },
    field: 'spec.targetNamespace',
    value: '"fleet.engine"',
    says: 'must be empty or the name of a namespace: a DNS-1123 label',
  },
  {
    rule: 'targetNamespace has at most 63 characters',
    bad: { targetNamespace: 'a'.repeat(64) },
    good: { targetNamespace: 'a'.repeat(63) },
    field: 'spec.targetNamespace',
    says: 'Too long: may not be more than 63 bytes',
  },
  {
    rule: 'targetNamespace does not begin with kube-',
    bad: { targetNamespace: 'kube-system' },
    good: { targetNamespace: 'kubernetes' },
    field: 'spec.targetNamespace',
    value: '"kube-system"',
    says: 'must neither be default nor begin with kube-',
  },
  {
    rule: 'targetNamespace is not default',
    bad: { targetNamespace: 'default' },
    good: { targetNamespace: 'default-engine' },
    field: 'spec.targetNamespace',
    value: '"default"',
    says: 'must neither be default nor begin with kube-',
  },
  {
    rule: 'tolerations are at most 64',
    bad: { tolerations: many(65, () => ({ operator: 'Exists' })) },
    good: { tolerations: many(64, () => ({ operator: 'Exists' })) },
    field: 'spec.tolerations',
    value: '65',
    says: 'must have at most 64 items',
  },
  {
    rule: 'a toleration has a known effect',
    bad: toleration({ key: 'a', effect: 'Never' }),
    good: toleration({ key: 'a', effect: 'NoExecute' }),
    field: 'spec.tolerations[0].effect',
    value: '"Never"',
    says: 'supported values: "NoSchedule", "PreferNoSchedule", "NoExecute", ""',
  },
  {
    rule: 'a toleration has a known operator',
    bad: toleration({ key: 'a', operator: 'In' }),
    good: toleration({ key: 'a', operator: 'Exists' }),
    field: 'spec.tolerations[0].operator',
    value: '"In"',
    says: 'supported values: "Exists", "Equal"',
  },
  {
    rule: 'an empty key needs operator Exists',
    bad: toleration({ key: '', operator: 'Equal', value: 'a' }),
    good: toleration({ key: '', operator: 'Exists' }),
    field: 'spec.tolerations[0].key',
    value: 'key ""',
    says: 'an empty key needs operator Exists',
  },
  {
    rule: 'an absent key needs operator Exists, which is not the default',
    bad: toleration({ value: 'a' }),
    good: toleration({ key: 'a', value: 'a' }),
    field: 'spec.tolerations[0].key',
    value: 'operator Equal',
    says: 'an empty key needs operator Exists',
  },
  {
    rule: 'value is empty with operator Exists',
    bad: toleration({ key: 'a', operator: 'Exists', value: 'b' }),
    good: toleration({ key: 'a', operator: 'Exists', value: '' }),
    field: 'spec.tolerations[0].value',
    value: '"b"',
    says: 'must be empty with operator Exists',
  },
  {
    rule: 'a toleration has a taint key',
    bad: toleration({ key: 'not a key' }),
    good: toleration({ key: 'example.com/dedicated' }),
    field: 'spec.tolerations[0].key',
    value: '"not a key"',
    says: 'must be empty or a taint key',
  },
  {
    rule: 'a toleration has a key of at most 317 characters',
    bad: toleration({ key: 'a'.repeat(318) }),
    good: toleration({ key: `${'a.'.repeat(126)}a/${'b'.repeat(63)}` }),
    field: 'spec.tolerations[0].key',
    says: 'Too long: may not be more than 317 bytes',
  },
  {
    rule: 'a toleration has a taint value',
    bad: toleration({ key: 'a', value: 'not a value' }),
    good: toleration({ key: 'a', value: 'value' }),
    field: 'spec.tolerations[0].value',
    value: '"not a value"',
    says: 'must be a taint value',
  },
  {
    rule: 'a toleration has a value of at most 63 characters',
    bad: toleration({ key: 'a', value: 'a'.repeat(64) }),
    good: toleration({ key: 'a', value: 'a'.repeat(63) }),
    field: 'spec.tolerations[0].value',
    says: 'Too long: may not be more than 63 bytes',
  },
  {
    rule: 'tolerationSeconds is at most 2^53',
    bad: toleration({ operator: 'Exists', tolerationSeconds: 2 ** 53 + 2 }),
    good: toleration({ operator: 'Exists', tolerationSeconds: 2 ** 53 }),
    field: 'spec.tolerations[0].tolerationSeconds',
    value: '9007199254740994',
    says: 'should be less than or equal to 9007199254740992',
  },
  {
    rule: 'tolerationSeconds is at least -2^53',
    bad: toleration({ operator: 'Exists', tolerationSeconds: -(2 ** 53) - 2 }),
    good: toleration({ operator: 'Exists', tolerationSeconds: -(2 ** 53) }),
    field: 'spec.tolerations[0].tolerationSeconds',
    value: '-9007199254740994',
    says: 'should be greater than or equal to -9007199254740992',
  },
];

const ACCEPTED: readonly [string, Spec][] = [
  ['no field at all', {}],
  ['an empty imagePullSecret', { imagePullSecret: '' }],
  ['an empty targetNamespace', { targetNamespace: '' }],
  ['an empty effect, which means all', toleration({ operator: 'Exists', effect: '' })],
  ['zero tolerationSeconds', toleration({ operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 0 })],
  ['negative tolerationSeconds', toleration({ operator: 'Exists', effect: 'NoExecute', tolerationSeconds: -1 })],
  [
    'tolerationSeconds beside another effect, which ignores them',
    toleration({ operator: 'Exists', effect: 'NoSchedule', tolerationSeconds: 5 }),
  ],
];

const MOVES: readonly [string, Spec, Spec, boolean][] = [
  ['from one namespace to another', { targetNamespace: 'fleet-a' }, { targetNamespace: 'fleet-b' }, false],
  ['from the default to another namespace', {}, { targetNamespace: 'fleet-b' }, false],
  ['from a namespace to the default', { targetNamespace: 'fleet-a' }, {}, false],
  ['from absent to empty', {}, { targetNamespace: '' }, true],
  ['from absent to the default, written out', {}, { targetNamespace: 'multicluster-engine' }, true],
  ['from the default, written out, to absent', { targetNamespace: 'multicluster-engine' }, {}, true],
];

describeWithServer('the API server on a MultiClusterEngine', {}, (server) => {
  test.each(RULES)('the API server rejects a MultiClusterEngine unless $rule', async (rule) => {
    const answer = await tryCreate(
      server(),
      MultiClusterEngines,
      objectOf(MultiClusterEngines, { name: 'engine' }, { spec: rule.bad }),
    );

    expectRefusal(answer, rule);
  });

  test.each(RULES)('the API server accepts a MultiClusterEngine where $rule', async ({ good }) => {
    const { text, status } = await tryCreate(
      server(),
      MultiClusterEngines,
      objectOf(MultiClusterEngines, { name: 'engine' }, { spec: good }),
    );

    expect({ status, text }).toMatchObject({ status: 201 });
  });

  test.each(ACCEPTED)('the API server accepts a MultiClusterEngine with %s', async (_title, spec) => {
    const { text, status } = await tryCreate(
      server(),
      MultiClusterEngines,
      objectOf(MultiClusterEngines, { name: 'engine' }, { spec }),
    );

    expect({ status, text }).toMatchObject({ status: 201 });
  });

  test.each(MOVES)(
    'the API server decides about a move of the target namespace %s: spec %j, then %j, allowed: %s',
    async (_title, before, after, allowed) => {
      const name = ownName('engine');
      await server().call({
        method: 'POST',
        path: pathOf(MultiClusterEngines, ''),
        body: objectOf(MultiClusterEngines, { name }, { spec: before }),
      });
      const path = pathOf(MultiClusterEngines, '', name);
      const stored = (await server().call({ path })).body;

      const answer = await server().call({ method: 'PUT', path, body: { ...stored, spec: after } });
      await server().call({ method: 'DELETE', path });

      if (allowed) {
        expect(answer.status).toBe(200);
        return;
      }
      expectRefusal(answer, {
        field: 'spec.targetNamespace',
        value: 'cannot replace',
        says: 'it is fixed once the engine exists',
      });
    },
  );

  test('the API server names both namespaces when it rejects a change of targetNamespace', async () => {
    const name = ownName('engine');
    const path = pathOf(MultiClusterEngines, '', name);
    const body = objectOf(MultiClusterEngines, { name }, { spec: { targetNamespace: 'fleet-a' } });
    await server().call({ method: 'POST', path: pathOf(MultiClusterEngines, ''), body });

    const patch = { spec: { targetNamespace: 'fleet-b' } };
    const answer = await server().call({
      method: 'PATCH',
      path,
      body: patch,
      contentType: 'application/merge-patch+json',
    });
    await server().call({ method: 'DELETE', path });

    expect(answer.body.message).toContain('targetNamespace "fleet-b" cannot replace "fleet-a"');
  });
});
