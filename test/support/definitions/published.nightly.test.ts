import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';

import { expect, it } from '@jest/globals';
import { load } from 'js-yaml';

import { asRecord, isRecord } from '../../../src/runtime/vocabulary/json.js';
import { describeWith } from '../describewith.js';
import { root } from '../repository/root.js';

/** The definitions here are those that their owners publish, in the named versions of their Go modules, but for texts. */

const OCM = 'open-cluster-management.io/api@v1.2.0';
const SIG = 'sigs.k8s.io/cluster-inventory-api@v0.1.0';
const KUEUE = 'sigs.k8s.io/kueue@v0.17.0';
const DEFINITIONS = [
  ['multikueueconfigs', KUEUE, 'config/components/crd/bases/kueue.x-k8s.io_multikueueconfigs.yaml'],
  ['clusterprofiles', SIG, 'config/crd/bases/multicluster.x-k8s.io_clusterprofiles.yaml'],
  ['placementdecisions', SIG, 'config/crd/bases/multicluster.x-k8s.io_placementdecisions.yaml'],
  ['ocmmanagedclusters', OCM, 'cluster/v1/0000_00_clusters.open-cluster-management.io_managedclusters.crd.yaml'],
  [
    'ocmaddonplacementscores',
    OCM,
    'cluster/v1alpha1/0000_05_clusters.open-cluster-management.io_addonplacementscores.crd.yaml',
  ],
  ['ocmplacements', OCM, 'cluster/v1beta1/0000_02_clusters.open-cluster-management.io_placements.crd.yaml'],
  [
    'ocmplacementdecisions',
    OCM,
    'cluster/v1beta1/0000_03_clusters.open-cluster-management.io_placementdecisions.crd.yaml',
  ],
  [
    'ocmmanagedclustersets',
    OCM,
    'cluster/v1beta2/0000_00_clusters.open-cluster-management.io_managedclustersets.crd.yaml',
  ],
  [
    'ocmmanagedclustersetbindings',
    OCM,
    'cluster/v1beta2/0000_01_clusters.open-cluster-management.io_managedclustersetbindings.crd.yaml',
  ],
] as const;
const TEXTS = ['description', 'message'];

const go = spawnSync('go', ['version'], { encoding: 'utf8' });

describeWith('definitions of others', go.status === 0 ? undefined : 'Go not found', () => {
  it.each(DEFINITIONS)('%s equals the definition of %s', (name, module, file) => {
    const own = load(readFileSync(path.join(root, 'test', 'support', 'definitions', `${name}.yaml`), 'utf8'));
    const published = load(readFileSync(path.join(folderOf(module), file), 'utf8'));

    expect(withoutTexts(asRecord(own)['spec'])).toEqual(withoutTexts(asRecord(published)['spec']));
    expect(asRecord(asRecord(own)['metadata'])['name']).toBe(asRecord(asRecord(published)['metadata'])['name']);
  });
});

function folderOf(module: string): string {
  const { stdout, stderr } = spawnSync('go', ['mod', 'download', '-json', module], { encoding: 'utf8' });
  const { Dir, Error: fault } = asRecord(JSON.parse(stdout || '{}'));
  if (typeof Dir !== 'string') throw new Error(`${module}: ${String(fault)}${stderr}`);
  return Dir;
}

/** Without what people read: a field that is called `description` or `message` has an object as its value. */
function withoutTexts(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutTexts);
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key, one]) => !TEXTS.includes(key) || typeof one !== 'string')
      .map(([key, one]) => [key, withoutTexts(one)]),
  );
}
