import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

import { describe, expect, it } from '@jest/globals';
import { load, loadAll } from 'js-yaml';

import { asRecord, type JsonRecord } from '../../src/runtime/vocabulary/json.js';
import { NO_IMAGE } from '../../src/api/published.js';
import { describeWithPrograms, runProgram } from '../support/programs/programs.js';
import { root } from '../support/repository/root.js';

const OLM = path.join(root, 'deploy', 'olm');
const BASE = path.join(root, 'deploy', 'base');

function read(...file: readonly string[]): JsonRecord {
  return asRecord(load(readFileSync(path.join(...file), 'utf8')));
}

function rulesOf(file: string, kind: string): unknown {
  const objects = loadAll(readFileSync(path.join(BASE, 'rights', file), 'utf8')).map((one) => asRecord(one));
  return objects.find((one) => one['kind'] === kind)?.['rules'];
}

describe('the bundle for OLM', () => {
  const version = read(OLM, 'manifests', 'multicluster-engine.clusterserviceversion.yaml');
  const spec = asRecord(version['spec']);
  const install = asRecord(asRecord(spec['install'])['spec']);

  it('the operator of the bundle has the rights of the kustomize base', () => {
    expect(install['clusterPermissions']).toEqual([
      { serviceAccountName: 'multicluster-engine-operator', rules: rulesOf('operator.yaml', 'ClusterRole') },
    ]);
    expect(install['permissions']).toEqual([
      { serviceAccountName: 'multicluster-engine-operator', rules: rulesOf('leases.yaml', 'Role') },
    ]);
  });

  it('the operator of the bundle and its components have the image that a release replaces', () => {
    const text = JSON.stringify(install['deployments']);

    expect(text).toContain(`"image":"${NO_IMAGE}"`);
    expect(text).toContain(`{"name":"MULTICLUSTER_ENGINE_IMAGE","value":"${NO_IMAGE}"}`);
  });

  it('the bundle owns every definition of crds/', () => {
    const owned = (asRecord(spec['customresourcedefinitions'])['owned'] as JsonRecord[]).map(({ name }) => name);
    const defined = readdirSync(path.join(root, 'crds')).map((file) => asRecord(read(root, 'crds', file)['metadata']));

    expect(new Set(owned)).toEqual(new Set(defined.map(({ name }) => name)));
  });

  it('the bundle claims the lowest level, since no test upgrades it with OLM', () => {
    expect(asRecord(asRecord(version['metadata'])['annotations'])['capabilities']).toBe('Basic Install');
  });

  it('the labels of the bundle image are the annotations of the bundle', () => {
    const { annotations } = read(OLM, 'metadata', 'annotations.yaml');
    const lines = readFileSync(path.join(OLM, 'bundle.Dockerfile'), 'utf8').matchAll(/^LABEL (\S+)=(\S+)$/gm);

    expect(Object.fromEntries([...lines].map(([, name, value]) => [name, value]))).toEqual(annotations);
  });
});

describeWithPrograms('what a bundle for OLM cannot contain', ['kustomize'], () => {
  it('the ConfigMap of the bundle has it as the default overlay and the definitions have it', async () => {
    const configMap = read(OLM, 'manifests', 'multicluster-engine-policies.configmap.yaml');
    const folders = ['definitions', 'overlays/default'].map((folder) => path.join(root, 'deploy', folder));
    const rendered = await Promise.all(folders.map((folder) => runProgram('kustomize', ['build', folder])));
    const wanted = rendered.flatMap(objectsIn).filter((one) => !IN_BUNDLE.test(identity(one)));

    const found = objectsIn(String(asRecord(configMap['data'])['policies.yaml']));

    expect(found.map(identity)).toEqual(
      expect.arrayContaining([
        'ValidatingAdmissionPolicy/multicluster-engine-operator',
        'Namespace/multicluster-engine-agents',
      ]),
    );
    expect(byIdentity(found)).toEqual(byIdentity(wanted));
  });
});

/** Kinds that the bundle has otherwise, and what lies in the namespace of the operator. */
const IN_BUNDLE =
  /^(CustomResourceDefinition|ClusterRole|ClusterRoleBinding)\/|^Namespace\/multicluster-engine-operator$|^multicluster-engine-operator\//;

function objectsIn(text: string): JsonRecord[] {
  return loadAll(text).map((one) => asRecord(one));
}

function identity(object: JsonRecord): string {
  const { namespace, name } = asRecord(object['metadata']);
  const place = typeof namespace === 'string' ? `${namespace}/` : '';
  return `${place}${String(object['kind'])}/${String(name)}`;
}

function byIdentity(objects: readonly JsonRecord[]): Readonly<Record<string, JsonRecord>> {
  return Object.fromEntries(objects.map((one) => [identity(one), one]));
}
