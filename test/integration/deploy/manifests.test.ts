import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';

import { beforeAll, describe, expect, test } from '@jest/globals';

import {
  AGENT_LEASES_ROLE,
  AGENTS_NAMESPACE,
  CLUSTERS_LEASE,
  DEFAULT_TARGET_NAMESPACE,
  ENGINE_LABEL,
  ENGINE_LEASE,
  INSTALLER_ROLE,
  LOCAL_CLUSTER_ROLE,
  OPERATOR_NAMESPACE,
  OPERATOR_SERVICE_ACCOUNT,
  PLACEMENT_LEASE,
} from '../../../src/api/names.js';
import type { AnyObject } from '@multicluster-engine/kube-apiserver/testing/controlplane/api';
import { NO_IMAGE } from '../../../src/api/published.js';
import { describeWithServer, testNeeding } from '@multicluster-engine/kube-apiserver/testing/controlplane/suite';
import { root } from '../../support/repository/root.js';
import { definitionsFolder } from '../../support/hub/overlays.js';
import { at, folderOf, pick, rendered, rulesOf, type Overlay } from './overlay.js';

const OVERLAYS: readonly Overlay[] = ['default', 'namespaced'];
const PLACEMENT_ROLE = 'multicluster-engine-placement-controller';
const USER_ROLES = ['admin', 'edit', 'view', 'reader', 'cluster-owner', 'hub-admin'].map(
  (job) => `multicluster-engine-${job}`,
);
/** The roles of agents, and of people who let clusters join: no component of the hub has them. */
const AGENT_ROLES = ['multicluster-engine-agents', 'multicluster-engine-enroller'];
/** Bound only where an option of the engine is on. */
const OPTIONAL_ROLES = [LOCAL_CLUSTER_ROLE];
/** The policy that limits the placement controller, whose ServiceAccount is in the target namespace. */
const HEALTH = 'multicluster-engine-health';
const COMPONENT = 'system:serviceaccount:infra:placement-controller';
const POLICIES = [
  'health',
  'adoption',
  'agent-warnings',
  'agents',
  'argo-cd',
  'bindings',
  'definitions',
  'engines',
  'fleet-warnings',
  'engine-warnings',
  'in-use',
  'local-cluster',
  'namespace-warnings',
  'namespaces',
  'objects',
  'operator',
  'set-binding',
  'target',
  'warnings',
];
/** Those that concern other users than the operator. */
const WARNINGS = ['', 'fleet-', 'agent-', 'namespace-', 'engine-'].map((what) => `multicluster-engine-${what}warnings`);
const FOR_USERS = [
  ...['agents', 'argo-cd', 'definitions', 'in-use', 'operator', 'set-binding'].map(
    (name) => `multicluster-engine-${name}`,
  ),
  ...WARNINGS,
];
/** Those that stand aside where they cannot be evaluated: they are for mistakes, and limit no identity. */
const IGNORING = [...WARNINGS, 'multicluster-engine-operator'];
const CONTAINER = 'spec.template.spec.containers.0';

describeWithServer('the manifests of deploy/', {}, (server) => {
  describe.each(OVERLAYS)('overlay %s', (overlay) => {
    let objects: AnyObject[] = [];

    beforeAll(async () => {
      objects = [...(await rendered(server(), definitionsFolder)), ...(await rendered(server(), folderOf(overlay)))];
    });

    function roles(): AnyObject[] {
      return objects.filter((one) => one.kind === 'ClusterRole' || one.kind === 'Role');
    }

    test(`the overlay ${overlay} has at most 25 RBAC rules for the hub`, () => {
      const own = roles().filter(
        (role) => ![...USER_ROLES, ...AGENT_ROLES, ...OPTIONAL_ROLES].includes(role.metadata?.name ?? ''),
      );

      expect(own.flatMap(rulesOf).length).toBeGreaterThan(0);
      expect(own.flatMap(rulesOf).length).toBeLessThanOrEqual(25);
      const subjects = objects.filter((one) => at(one, 'roleRef.name') === LOCAL_CLUSTER_ROLE);
      expect(subjects).toEqual([]);
    });

    test(`the overlay ${overlay} grants no wildcard, no escalation and no impersonation`, () => {
      const words = roles()
        .flatMap(rulesOf)
        .flatMap((rule) => [...rule.verbs, ...rule.resources, ...rule.apiGroups]);

      expect(words.filter((word) => word.includes('*') || ['escalate', 'impersonate'].includes(word))).toEqual([]);
    });

    test(`the overlay ${overlay} grants components access to leases by name, and to those of agents without a write`, () => {
      const rules = roles()
        .filter((role) => ![...AGENT_ROLES, ...USER_ROLES].includes(role.metadata?.name ?? ''))
        .flatMap(rulesOf)
        .filter((rule) => rule.resources.includes('leases'));

      expect(rules.map((rule) => rule.resourceNames)).toEqual(
        expect.arrayContaining([[ENGINE_LEASE], [PLACEMENT_LEASE, CLUSTERS_LEASE]]),
      );
      expect(rules).toHaveLength(3);
      const unnamed = rules.filter((rule) => rule.resourceNames === undefined);
      expect(unnamed.map(({ verbs }) => verbs)).toEqual([['list', 'watch']]);
    });

    test(`the overlay ${overlay} lets only the placement controller write decisions, and no user write a status`, () => {
      const writers = roles().filter((role) =>
        rulesOf(role).some(
          (rule) =>
            rule.resources.includes('placementdecisions') &&
            rule.verbs.some((verb) => ['create', 'update', 'patch', 'delete'].includes(verb)),
        ),
      );
      const userResources = roles()
        .filter((role) => USER_ROLES.includes(role.metadata?.name ?? ''))
        .flatMap(rulesOf)
        .flatMap((rule) => rule.resources);

      expect(writers.map((role) => role.metadata?.name)).toEqual([PLACEMENT_ROLE]);
      expect(userResources.filter((resource) => resource.includes('/'))).toEqual(['managedclustersets/bind']);
    });

    test(`the overlay ${overlay} runs the operator with the ServiceAccount that the policies name`, () => {
      const deployment = pick(objects, 'Deployment', OPERATOR_SERVICE_ACCOUNT);
      const user = `system:serviceaccount:${OPERATOR_NAMESPACE}:${OPERATOR_SERVICE_ACCOUNT}`;
      const restricting = objects.filter(
        (one) => one.kind === 'ValidatingAdmissionPolicy' && !FOR_USERS.includes(one.metadata?.name ?? ''),
      );

      pick(objects, 'ServiceAccount', OPERATOR_SERVICE_ACCOUNT);
      expect(deployment.metadata?.namespace).toBe(OPERATOR_NAMESPACE);
      expect(at(deployment, 'spec.template.spec.serviceAccountName')).toBe(OPERATOR_SERVICE_ACCOUNT);
      for (const policy of restricting) {
        const pattern =
          /matches\('(.*)'\)/.exec(String(at(policy, 'spec.matchConditions.0.expression')))?.[1] ?? 'nothing';
        const limited = policy.metadata?.name === HEALTH ? COMPONENT : user;
        expect(limited).toMatch(new RegExp(pattern));
        expect(`${limited}-2`).not.toMatch(new RegExp(pattern));
      }
    });

    test(`the overlay ${overlay} has policies that deny with a message and reason Forbidden, and four that only warn`, () => {
      const policies = objects.filter((one) => one.kind === 'ValidatingAdmissionPolicy');
      const actionsOf = (name: string): unknown =>
        at(pick(objects, 'ValidatingAdmissionPolicyBinding', name), 'spec.validationActions');
      const wanted = overlay === 'default' ? POLICIES : POLICIES.filter((name) => name !== 'target');

      expect(new Set(policies.map((policy) => policy.metadata?.name))).toEqual(
        new Set(wanted.map((name) => `multicluster-engine-${name}`)),
      );
      expect(WARNINGS.map(actionsOf)).toEqual(WARNINGS.map(() => ['Warn']));
      for (const policy of policies)
        expect(at(policy, 'spec.failurePolicy')).toBe(
          IGNORING.includes(policy.metadata?.name ?? '') ? 'Ignore' : 'Fail',
        );
      for (const policy of policies.filter((one) => !WARNINGS.includes(one.metadata?.name ?? ''))) {
        const validations = at(policy, 'spec.validations');
        expect(validations).toEqual(
          Array.isArray(validations)
            ? validations.map(() =>
                expect.objectContaining({ reason: 'Forbidden', message: expect.stringMatching(/\w/) }),
              )
            : 'a list',
        );
        expect(actionsOf(policy.metadata?.name ?? '')).toEqual(['Deny']);
      }
    });

    test(`the overlay ${overlay} runs only the engine controllers, with two replicas`, () => {
      const deployment = pick(objects, 'Deployment', OPERATOR_SERVICE_ACCOUNT);
      const fixed = overlay === 'namespaced' ? [`--namespace=${DEFAULT_TARGET_NAMESPACE}`] : [];

      expect(at(deployment, `${CONTAINER}.args`)).toEqual(['operator', '--controllers=engine', ...fixed]);
      expect(at(deployment, 'spec.replicas')).toBe(2);
    });

    test(`the overlay ${overlay} configures the image of the operator for the components, which nobody has set`, () => {
      const deployment = pick(objects, 'Deployment', OPERATOR_SERVICE_ACCOUNT);

      expect(at(deployment, `${CONTAINER}.image`)).toBe(NO_IMAGE);
      expect(at(deployment, `${CONTAINER}.env.0`)).toEqual({
        name: 'MULTICLUSTER_ENGINE_IMAGE',
        value: at(deployment, `${CONTAINER}.image`),
      });
    });

    test(`the overlay ${overlay} keeps both images equal when another image is set`, async () => {
      const copy = await mkdtemp(path.join(root, 'deploy', 'overlays', '.tried-'));
      try {
        await cp(folderOf(overlay), copy, { recursive: true });
        const file = path.join(copy, 'kustomization.yaml');
        const text = await readFile(file, 'utf8');
        await writeFile(
          file,
          `${text}images:\n  - { name: ${NO_IMAGE}, newName: registry.example.com/fleet/engine, newTag: 9.9.9 }\n`,
        );

        const deployment = pick(await rendered(server(), copy), 'Deployment', OPERATOR_SERVICE_ACCOUNT);

        expect(at(deployment, `${CONTAINER}.image`)).toBe('registry.example.com/fleet/engine:9.9.9');
        expect(at(deployment, `${CONTAINER}.env.0.value`)).toBe('registry.example.com/fleet/engine:9.9.9');
      } finally {
        await rm(copy, { recursive: true, force: true });
      }
    });

    testNeeding('podSecurity')(
      'an overlay has pods that the restricted Pod Security Standard admits (podSecurity)',
      async () => {
        const name = `restricted-${overlay}`;
        const labels = { 'pod-security.kubernetes.io/enforce': 'restricted' };
        await server().call({
          method: 'POST',
          path: '/api/v1/namespaces',
          body: { apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels } },
        });
        const deployment = pick(objects, 'Deployment', OPERATOR_SERVICE_ACCOUNT);
        const spec = {
          ...Object(at(deployment, 'spec.template.spec')),
          serviceAccountName: 'default',
          automountServiceAccountToken: false,
        };
        await server().call({
          method: 'POST',
          path: `/api/v1/namespaces/${name}/serviceaccounts`,
          body: { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default' } },
        });

        const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'operator' }, spec };
        const good = await server().call({
          method: 'POST',
          path: `/api/v1/namespaces/${name}/pods?dryRun=All`,
          body: pod,
        });
        const bad = await server().call({
          method: 'POST',
          path: `/api/v1/namespaces/${name}/pods?dryRun=All`,
          body: { ...pod, spec: { ...spec, hostNetwork: true } },
        });

        expect({ status: good.status, text: good.text }).toMatchObject({ status: 201 });
        expect(bad.text).toContain('violates PodSecurity');
        expect(at(pick(objects, 'Namespace', OPERATOR_NAMESPACE), 'metadata.labels')).toMatchObject(labels);
      },
    );
  });

  test('the operator may bind exactly the roles that the policies and the code name', async () => {
    const objects = await rendered(server(), folderOf('default'));
    const bind = rulesOf(pick(objects, 'ClusterRole', 'multicluster-engine-operator')).filter((rule) =>
      rule.verbs.includes('bind'),
    );

    expect(bind).toHaveLength(1);
    expect(bind[0]?.resourceNames).toEqual([INSTALLER_ROLE, PLACEMENT_ROLE, AGENT_LEASES_ROLE, LOCAL_CLUSTER_ROLE]);
    expect(JSON.stringify(pick(objects, 'ValidatingAdmissionPolicy', 'multicluster-engine-namespaces'))).toContain(
      `'${ENGINE_LABEL}'`,
    );
  });

  test('with a fixed namespace the operator can neither bind roles nor write namespaces', async () => {
    const objects = await rendered(server(), folderOf('namespaced'));
    const rules = rulesOf(pick(objects, 'ClusterRole', 'multicluster-engine-operator'));

    expect(rules.flatMap((rule) => rule.resources)).toEqual([
      'multiclusterengines',
      'multiclusterengines/status',
      'events',
      'validatingadmissionpolicies',
      'validatingadmissionpolicybindings',
    ]);
    expect(at(pick(objects, 'RoleBinding', INSTALLER_ROLE), 'metadata.namespace')).toBe(DEFAULT_TARGET_NAMESPACE);
    const component = {
      kind: 'ServiceAccount',
      name: 'placement-controller',
      namespace: DEFAULT_TARGET_NAMESPACE,
    };
    expect(at(pick(objects, 'ClusterRoleBinding', PLACEMENT_ROLE), 'subjects.0')).toEqual(component);
    expect(at(pick(objects, 'RoleBinding', AGENT_LEASES_ROLE), 'metadata.namespace')).toBe(AGENTS_NAMESPACE);
    expect(at(pick(objects, 'RoleBinding', AGENT_LEASES_ROLE), 'subjects.0')).toEqual(component);
    expect(at(pick(objects, 'Namespace', DEFAULT_TARGET_NAMESPACE), 'metadata.labels')).toMatchObject({
      'pod-security.kubernetes.io/enforce': 'restricted',
    });
  });
});
