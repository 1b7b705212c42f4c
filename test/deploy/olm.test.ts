import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

import { describe, expect, it } from '@jest/globals';
import { load, loadAll } from 'js-yaml';

import { asRecord, type JsonRecord } from '../../src/runtime/vocabulary/json.js';
import { NO_IMAGE, PUBLISHED } from '../../src/api/published.js';
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

  it('the operator of the bundle and its components have the image of the release, or say that none is set', () => {
    const text = JSON.stringify(install['deployments']);
    const image = PUBLISHED.image === undefined ? NO_IMAGE : `${PUBLISHED.image}:${String(spec['version'])}`;

    expect(text).toContain(`"image":"${image}"`);
    expect(text).toContain(`{"name":"MULTICLUSTER_ENGINE_IMAGE","value":"${image}"}`);
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
