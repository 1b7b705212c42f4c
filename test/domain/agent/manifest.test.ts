import path from 'node:path';

import { describe, expect, it } from '@jest/globals';

import { asRecord, field, type JsonRecord } from '../../../src/runtime/vocabulary/json.js';
import type { KubeObject } from '../../../src/runtime/vocabulary/meta.js';
import { AGENT_NAMESPACE, AGENT_TOKEN_SECRET } from '../../../src/api/names.js';
import { readHubToken } from '../../../src/domain/agent/hubtoken.js';
import { agentManifest } from '../../../src/domain/agent/manifest.js';
import { readKustomization, readManifests } from '../../../src/runtime/manifests.js';
import { joinData } from '../../support/builders/joindata.js';
import { root } from '../../support/repository/root.js';

const templates = readKustomization(path.join(root, 'deploy', 'agent', 'base'));
const input = { join: joinData(), image: 'example.com/engine:9.9' };

function idOf({ kind, metadata }: KubeObject): string {
  return `${String(kind)} ${metadata.namespace ?? ''}/${metadata.name}`;
}

function podOf(objects: readonly KubeObject[]): JsonRecord {
  const deployment = objects.find(({ kind }) => kind === 'Deployment');
  return asRecord(['spec', 'template', 'spec'].reduce<unknown>(field, deployment));
}

function containerOf(objects: readonly KubeObject[]): unknown {
  const { containers } = podOf(objects);
  return Array.isArray(containers) ? containers[0] : undefined;
}

describe('the manifest of an agent', () => {
  it('the manifest of an agent has the objects of deploy/agent/base, and the Secret before the Deployment', () => {
    const ns = AGENT_NAMESPACE;

    expect(agentManifest(templates, input).map(idOf)).toEqual([
      `Namespace /${ns}`,
      `ServiceAccount ${ns}/multicluster-engine-agent`,
      'ClusterRole /multicluster-engine-agent',
      'ClusterRoleBinding /multicluster-engine-agent',
      `Role ${ns}/multicluster-engine-agent`,
      `RoleBinding ${ns}/multicluster-engine-agent`,
      'Role kube-public/multicluster-engine-agent',
      'RoleBinding kube-public/multicluster-engine-agent',
      `NetworkPolicy ${ns}/multicluster-engine-agent`,
      `Secret ${ns}/${AGENT_TOKEN_SECRET}`,
      `Deployment ${ns}/multicluster-engine-agent`,
    ]);
  });

  it('the Secret of the manifest holds what the agent has to know to join', () => {
    const secret = agentManifest(templates, input).find(({ kind }) => kind === 'Secret');

    expect(readHubToken(secret)).toEqual({ kind: 'complete', join: input.join, token: undefined });
  });

  it('the manifest runs the image, and publishes the endpoint that was given', () => {
    const endpoint = 'https://edge-1.example.com';

    expect(containerOf(agentManifest(templates, input))).toMatchObject({ image: input.image, args: ['agent'] });
    expect(containerOf(agentManifest(templates, { ...input, apiEndpoint: endpoint }))).toMatchObject({
      args: ['agent', `--api-endpoint=${endpoint}`],
    });
  });

  it('the manifest leaves the templates as they are', () => {
    const before = structuredClone(templates);
    agentManifest(templates, { ...input, apiEndpoint: 'https://edge-1.example.com' });

    expect(templates).toEqual(before);
  });

  it('the agent has these rights at home and no others', () => {
    const rules = agentManifest(templates, input).flatMap((one) => {
      const given = field(one, 'rules');
      return Array.isArray(given) ? given.map((rule) => ({ in: one.metadata.namespace, ...asRecord(rule) })) : [];
    });

    expect(rules).toEqual([
      { apiGroups: [''], resources: ['nodes'], verbs: ['list'] },
      { apiGroups: [''], resources: ['namespaces'], resourceNames: ['kube-system'], verbs: ['get'] },
      {
        in: AGENT_NAMESPACE,
        apiGroups: [''],
        resources: ['secrets'],
        resourceNames: ['hub-token'],
        verbs: ['get', 'patch'],
      },
      { in: AGENT_NAMESPACE, apiGroups: [''], resources: ['configmaps'], verbs: ['list', 'watch'] },
      {
        in: 'kube-public',
        apiGroups: [''],
        resources: ['configmaps'],
        resourceNames: ['cluster-info'],
        verbs: ['get'],
      },
    ]);
  });

  it("the pod of an agent is restricted like those of the hub's components", () => {
    const component = readManifests(path.join(root, 'deploy', 'components', 'placement-controller'));
    const [own, other] = [podOf(agentManifest(templates, input)), podOf(component)];
    const fields = ['securityContext', 'terminationGracePeriodSeconds', 'automountServiceAccountToken'];

    expect(fields.map((name) => own[name])).toEqual(fields.map((name) => other[name]));
    for (const name of ['securityContext', 'livenessProbe', 'readinessProbe', 'startupProbe', 'ports'])
      expect(field(containerOf(agentManifest(templates, input)), name)).toEqual(field(containerOf(component), name));
    expect(field(own['securityContext'], 'runAsNonRoot')).toBe(true);
  });

  it('templates without a Deployment are refused', () => {
    expect(() => agentManifest(templates.slice(0, 3), input)).toThrow('deploy/agent/base: there is no Deployment');
  });
});
