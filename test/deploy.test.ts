import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

import { describe, expect, it } from '@jest/globals';
import { load, loadAll } from 'js-yaml';

import { readPreInput } from '../src/answers/check/pre.js';
import { LIMITING_POLICIES } from '../src/domain/engine/policies.js';
import type { AccessAttributes } from '../src/runtime/client/client.js';
import { readKustomization } from '../src/runtime/manifests.js';
import { root } from './support/repository/root.js';

interface Kustomization {
  readonly patches?: readonly { readonly path?: string }[];
}

/** The files that a kustomization of `deploy/` names as patches. */
function patchFiles(): readonly string[] {
  const folder = path.join(root, 'deploy');
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    (file) => path.basename(file) === 'kustomization.yaml',
  );
  return files.flatMap((file) => {
    const { patches = [] } = load(readFileSync(path.join(folder, file), 'utf8')) as Kustomization;
    return patches.flatMap((patch) => (patch.path === undefined ? [] : [path.join(path.dirname(file), patch.path)]));
  });
}

describe('crds/', () => {
  // `kubectl apply -f crds/` sends every file, and fails for one that is no object of the API.
  it('crds/ holds one CustomResourceDefinition in each file and nothing else', () => {
    const folder = path.join(root, 'crds');
    const objects = readdirSync(folder).map((file) => loadAll(readFileSync(path.join(folder, file), 'utf8')));

    expect(objects).toEqual(Array(6).fill([expect.objectContaining({ kind: 'CustomResourceDefinition' })]));
  });
});

describe('the patches of deploy/', () => {
  // With several objects in one, kubectl up to 1.30 renders nothing but an error and 1.31 to 1.33 crash.
  it.each(patchFiles())('the patch %s holds one object', (file) => {
    expect(loadAll(readFileSync(path.join(root, 'deploy', file), 'utf8'))).toHaveLength(1);
  });
});

describe('the policies that check wants', () => {
  it.each(LIMITING_POLICIES)('$name is in deploy/base, and denies', ({ name }) => {
    const objects = readKustomization(path.join(root, 'deploy', 'base'));
    const named = objects.filter(({ metadata }) => metadata.name === name);

    expect(named).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ kind: 'ValidatingAdmissionPolicy' }),
        expect.objectContaining({
          spec: expect.objectContaining({ policyName: name, validationActions: ['Deny'] }),
        }),
      ]),
    );
  });
});

describe('the rights that check --pre asks for', () => {
  it('check --pre asks for the right to create each kind of deploy/definitions and deploy/base, and no other', async () => {
    const asked: AccessAttributes[] = [];
    const client = {
      get: () => Promise.resolve(undefined),
      list: () => Promise.resolve([]),
      allowed: (one: AccessAttributes) => Promise.resolve(asked.push(one) > 0),
    };
    const operatorNamespace = 'multicluster-engine-operator';
    const fleet = { now: 0, version: '', namespace: undefined, fallback: () => '', definitions: [] };
    const objects = ['definitions', 'base'].flatMap((one) => readKustomization(path.join(root, 'deploy', one)));

    await readPreInput(client, { ...fleet, operatorNamespace }, 'v1.36.3');

    const created = asked.filter(({ verb }) => verb === 'create').map(({ type }) => type.kind);
    expect(new Set(created)).toEqual(new Set(objects.map(({ kind }) => kind)));
  });
});
