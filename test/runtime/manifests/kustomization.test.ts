import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { readKustomization } from '../../../src/runtime/manifests.js';
import { root } from '../../support/repository/root.js';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'kustomization-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function write(file: string, text: string): void {
  mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
  writeFileSync(path.join(folder, file), text);
}

const OBJECT = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: NAME, labels: {own: yes-please}}\n';

describe('a kustomization', () => {
  it('a kustomization gives its objects in its order, those of other folders included, with the labels of each', () => {
    write('kustomization.yaml', 'resources: [inner, b.yaml]\nlabels: [{pairs: {outer: "1"}}]\n');
    write('b.yaml', OBJECT.replace('NAME', 'b'));
    write('inner/kustomization.yaml', 'resources: [a.yaml]\nlabels: [{pairs: {inner: "2"}}]\n');
    write('inner/a.yaml', OBJECT.replace('NAME', 'a'));

    expect(readKustomization(folder).map(({ metadata }) => [metadata.name, metadata.labels])).toEqual([
      ['a', { own: 'yes-please', inner: '2', outer: '1' }],
      ['b', { own: 'yes-please', outer: '1' }],
    ]);
  });

  it('a kustomization that asks for more is refused by the field', () => {
    write('kustomization.yaml', 'resources: []\npatches: []\n');

    expect(() => readKustomization(folder)).toThrow(
      `${folder}/kustomization.yaml: patches: not supported, only apiVersion, kind, resources, labels`,
    );
  });

  it('a kustomization of deploy/standalone holds what an operator needs', () => {
    const objects = readKustomization(path.join(root, 'deploy', 'standalone'));
    const kinds = new Set(objects.map(({ kind }) => kind));

    expect([...kinds]).toEqual(
      expect.arrayContaining([
        'ClusterRole',
        'ClusterRoleBinding',
        'CustomResourceDefinition',
        'Namespace',
        'ServiceAccount',
        'ValidatingAdmissionPolicy',
        'ValidatingAdmissionPolicyBinding',
      ]),
    );
    expect(objects.filter(({ kind }) => kind === 'CustomResourceDefinition')).toHaveLength(6);
  });
});
