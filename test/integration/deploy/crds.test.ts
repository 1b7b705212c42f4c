import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

import { expect, test } from '@jest/globals';
import { load } from 'js-yaml';

import type { AnyObject, ApiAnswer } from '@multicluster-engine/kube-apiserver/testing/controlplane/api';
import type { ControlPlane } from '@multicluster-engine/kube-apiserver/testing/controlplane/plane';
import { describeWithServer } from '@multicluster-engine/kube-apiserver/testing/controlplane/suite';
import { kubectl } from '@multicluster-engine/kube-apiserver/testing/kubectl';
import { doubled } from '../../support/definitions/doubled.js';
import { root } from '../../support/repository/root.js';
import { fields, text } from '../../support/scenario/checks/reading.js';

const FOLDER = path.join(root, 'crds');
/** Below the limit of 10,000,000 for one rule, and above half of it. */
const COSTLY = 'self.all(a, self.all(b, a != b || a == b))';

/** Creates a definition in a group that the server does not have, without storing it. */
function tryOut(server: ControlPlane, { spec, ...rest }: AnyObject): Promise<ApiAnswer> {
  const group = 'cost.example.com';
  const body = {
    ...rest,
    metadata: { name: `${text(fields(spec?.['names'])['plural'])}.${group}` },
    spec: { ...spec, group },
  };
  return server.call({
    method: 'POST',
    path: '/apis/apiextensions.k8s.io/v1/customresourcedefinitions?dryRun=All',
    body,
  });
}

/** A definition with one rule, on a list. */
function definitionOf(rule: string): AnyObject {
  const items = { type: 'string', maxLength: 9 };
  const list = { type: 'array', maxItems: 600, items, 'x-kubernetes-validations': [{ rule }] };
  const schema = { openAPIV3Schema: { type: 'object', properties: { list } } };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    spec: {
      scope: 'Cluster',
      names: { plural: 'things', kind: 'Thing' },
      versions: [{ name: 'v1', served: true, storage: true, schema }],
    },
  };
}

describeWithServer('kubectl apply -f crds/', {}, (server) => {
  // The server has the definitions already, without the annotation of a client-side apply: kubectl warns of that.
  test.each([[[]], [['--server-side', '--force-conflicts']]])(
    'kubectl apply -f crds/ with the flags %j succeeds and applies six custom resource definitions',
    async (flags) => {
      const args = ['apply', '-f', FOLDER, ...flags];

      const { code, stdout, stderr } = await kubectl(args, { kubeconfig: server().adminKubeconfig });

      const errors = stderr.split('\n').filter((line) => line !== '' && !line.startsWith('Warning: resource '));
      expect({ code, errors, lines: stdout.trim().split('\n').length }).toEqual({ code: 0, errors: [], lines: 6 });
    },
  );

  test.each(readdirSync(FOLDER))(
    'the API server estimates at most half of the cost that it accepts in %s',
    async (file) => {
      const definition: AnyObject = fields(load(readFileSync(path.join(FOLDER, file), 'utf8')));

      const { status, body } = await tryOut(server(), doubled(definition));

      expect([status, body.message]).toEqual([201, undefined]);
    },
  );

  test('the API server refuses the double of a rule that it accepts, but with more than half of the cost', async () => {
    const once = await tryOut(server(), definitionOf(COSTLY));
    const twice = await tryOut(server(), doubled(definitionOf(COSTLY)));

    expect([once.status, once.body.message]).toEqual([201, undefined]);
    expect([twice.status, twice.body.message]).toEqual([
      422,
      expect.stringContaining('estimated rule cost exceeds budget'),
    ]);
  });
});
