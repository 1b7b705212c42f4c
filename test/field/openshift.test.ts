/**
 * What people did: they installed on OpenShift, whose default constraints admit only user IDs of the namespace's own range. The
 * pods name user 65532, so none was created, and no page said what to do. Right: a documented way that no pass reverts.
 */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { loadAll } from 'js-yaml';
import { asRecord, field, isRecord, type JsonRecord } from '../../src/runtime/vocabulary/json.js';
import { root } from '../support/repository/root.js';

const DEPLOY = path.join(root, 'deploy');
/** Volumes that `nonroot-v2` admits. */
const VOLUMES = [
  'configMap',
  'csi',
  'downwardAPI',
  'emptyDir',
  'ephemeral',
  'persistentVolumeClaim',
  'projected',
  'secret',
];

function records(value: unknown): JsonRecord[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

function objectsIn(file: string): JsonRecord[] {
  return loadAll(readFileSync(file, 'utf8')).filter(isRecord);
}

/** Every Deployment of deploy/ whose pods run as a user that the manifest names, by its file. */
const DEPLOYMENTS = readdirSync(DEPLOY, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('deployment.yaml') && !file.startsWith('helm'))
  .flatMap((file) => objectsIn(path.join(DEPLOY, file)).map((object) => ({ file, object })))
  .filter(({ object }) => field(podOf(object)['securityContext'], 'runAsUser') !== undefined)
  .map(({ file, object }) => ({ file, pod: podOf(object), namespace: field(object['metadata'], 'namespace') }));

function podOf(object: JsonRecord): JsonRecord {
  return asRecord(field(field(object['spec'], 'template'), 'spec') ?? {});
}

describe('OpenShift', () => {
  const bindings = ['hub', 'cluster'].flatMap((file) => objectsIn(path.join(root, `examples/openshift/${file}.yaml`)));

  it('every ServiceAccount whose pods name a user may use nonroot-v2 in its namespace, and no other', () => {
    const wanted = DEPLOYMENTS.map(({ pod, namespace }) => `${String(namespace)}/${String(pod['serviceAccountName'])}`);
    const bound = bindings.flatMap(({ metadata, roleRef, subjects }) => {
      expect(roleRef).toMatchObject({ kind: 'ClusterRole', name: 'system:openshift:scc:nonroot-v2' });
      return records(subjects).map(({ namespace, name }) => {
        expect(namespace).toBe(field(metadata, 'namespace'));
        return `${String(namespace)}/${String(name)}`;
      });
    });

    expect(wanted.length).toBeGreaterThanOrEqual(5);
    expect(bound.sort()).toEqual([...new Set(wanted)].sort());
  });

  it.each(DEPLOYMENTS)('the pods of $file meet nonroot-v2', ({ pod }) => {
    expect(pod['securityContext']).toMatchObject({ runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } });
    for (const share of ['hostNetwork', 'hostPID', 'hostIPC']) expect(pod[share] ?? false).toBe(false);
    for (const container of [...records(pod['containers']), ...records(pod['initContainers'])]) {
      expect(container['securityContext']).toMatchObject({
        allowPrivilegeEscalation: false,
        capabilities: { drop: ['ALL'] },
      });
      expect(records(container['ports']).filter((port) => port['hostPort'] !== undefined)).toEqual([]);
    }
    const kinds = records(pod['volumes']).flatMap(({ name: _, ...kind }) => Object.keys(kind));
    expect(kinds.filter((kind) => !VOLUMES.includes(kind))).toEqual([]);
  });
});
