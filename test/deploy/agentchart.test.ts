import { readFileSync } from 'node:fs';
import path from 'node:path';

import { describe, expect, it } from '@jest/globals';
import { Ajv } from 'ajv';
import { load, loadAll } from 'js-yaml';

import { asRecord, field, isRecord } from '../../src/runtime/vocabulary/json.js';
import { AGENT_NAMESPACE } from '../../src/api/names.js';
import { releaseVersion } from '../../src/runtime/process/build.js';
import { NO_IMAGE } from '../../src/api/published.js';
import { agentManifest } from '../../src/domain/agent/manifest.js';
import { readKustomization } from '../../src/runtime/manifests.js';
import { joinData } from '../support/builders/joindata.js';
import { describeWithPrograms, runProgram } from '../support/programs/programs.js';
import { root } from '../support/repository/root.js';

const CHART = path.join(root, 'deploy', 'helm', 'multicluster-engine-agent');
const AGENT = path.join(root, 'deploy', 'agent');
const REPOSITORY = 'registry.example.com/multicluster-engine';
const IMAGE = `${REPOSITORY}:${releaseVersion()}`;
const NAMESPACE = `Namespace /${AGENT_NAMESPACE}`;
const DEPLOYMENT = `Deployment ${AGENT_NAMESPACE}/multicluster-engine-agent`;

/** Objects by kind, namespace and name, without the annotation that makes Helm keep one. */
function byId(objects: readonly unknown[]): Map<string, unknown> {
  return new Map(
    objects.filter(isRecord).map((one) => {
      const { annotations: _kept, ...metadata } = asRecord(one['metadata']);
      const { namespace = '', name } = metadata;
      return [`${String(one['kind'])} ${String(namespace)}/${String(name)}`, { ...one, metadata }];
    }),
  );
}

async function template(values: object = {}): Promise<Map<string, unknown>> {
  const flags = Object.entries({ image: { repository: REPOSITORY }, ...values }).flatMap(([key, one]) => [
    '--set-json',
    `${key}=${JSON.stringify(one)}`,
  ]);
  return byId(loadAll(await runProgram('helm', ['template', 'agent', CHART, '-n', AGENT_NAMESPACE, ...flags])));
}

describeWithPrograms("the agent's Helm chart", ['helm', 'kustomize'], () => {
  it("the agent's Helm chart has the objects of deploy/agent, except the namespace", async () => {
    const wanted = byId(loadAll((await runProgram('kustomize', ['build', AGENT])).replaceAll(NO_IMAGE, IMAGE)));

    expect(wanted.delete(NAMESPACE)).toBe(true);
    expect(wanted.size).toBe(9);
    expect(await template()).toEqual(wanted);
  });

  it("the agent's Helm chart with the values of a Secret has the objects of the manifest", async () => {
    const join = joinData();
    const input = { join, image: IMAGE, apiEndpoint: 'https://edge-1.example.com' };
    const wanted = byId(agentManifest(readKustomization(path.join(AGENT, 'base')), input));

    expect(wanted.delete(NAMESPACE)).toBe(true);
    expect(await template({ join, apiEndpoint: input.apiEndpoint })).toEqual(wanted);
  });

  it("the agent's Helm chart puts every setting of the pod into the Deployment", async () => {
    const settings = {
      imagePullSecrets: [{ name: 'registry' }],
      nodeSelector: { room: 'a' },
      tolerations: [{ key: 'k', operator: 'Exists' }],
      affinity: { nodeAffinity: {} },
      priorityClassName: 'system-cluster-critical',
    };
    const extraEnv = [{ name: 'MULTICLUSTER_ENGINE_TOKEN_LIFETIME', value: '86400' }];
    const image = { repository: 'localhost:5000/engine', tag: '9.9', pullPolicy: 'Always' };
    const objects = await template({ ...settings, extraArgs: ['--log-level=debug'], extraEnv, image });

    expect(['spec', 'template', 'spec'].reduce<unknown>(field, objects.get(DEPLOYMENT))).toMatchObject({
      ...settings,
      containers: [
        {
          image: 'localhost:5000/engine:9.9',
          args: ['agent', '--log-level=debug'],
          env: expect.arrayContaining(extraEnv),
          imagePullPolicy: 'Always',
        },
      ],
    });
  });

  it("the agent's Helm chart leaves out the NetworkPolicy where it is switched off", async () => {
    const objects = await template({ networkPolicy: { enabled: false } });

    expect([...objects.keys()].filter((id) => id.startsWith('NetworkPolicy'))).toEqual([]);
    expect(objects.size).toBe(8);
  });

  it('helm lint finds nothing to complain about in the chart of the agent', async () => {
    expect(await runProgram('helm', ['lint', '--strict', CHART])).toContain('1 chart(s) linted, 0 chart(s) failed');
  });
});

describe("the schema of the agent's values", () => {
  const read = (file: string): string => readFileSync(path.join(CHART, file), 'utf8');
  const accepts = new Ajv({ strict: false }).compile(asRecord(JSON.parse(read('values.schema.json'))));

  it("the schema of the agent's values accepts values.yaml and a complete join", () => {
    const values = asRecord(load(read('values.yaml')));

    expect([accepts(values), accepts({ ...values, join: joinData() })]).toEqual([true, true]);
  });

  it.each([
    { join: { cluster: 'edge-1' } },
    { join: { ...joinData(), joinToken: '' } },
    { join: { ...joinData(), hubUrl: 'http://hub' } },
    { join: { token: 'x' } },
    { apiEndpoint: 'edge-1:6443' },
    { replicas: 2 },
    { image: { repository: 'engine:1.0' } },
    { extraArgs: ['log-level=debug'] },
  ])("the schema of the agent's values rejects %j", (wrong) => {
    expect(accepts(wrong)).toBe(false);
  });
});
