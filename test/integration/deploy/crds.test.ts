import path from 'node:path';

import { expect, test } from '@jest/globals';

import { describeWithServer } from '@multicluster-engine/kube-apiserver/testing/controlplane/suite';
import { kubectl } from '@multicluster-engine/kube-apiserver/testing/kubectl';
import { root } from '../../support/repository/root.js';

describeWithServer('kubectl apply -f crds/', {}, (server) => {
  test('kubectl apply -f crds/ succeeds and applies six custom resource definitions', async () => {
    const args = ['apply', '--server-side', '--force-conflicts', '-f', path.join(root, 'crds')];

    const { code, stdout, stderr } = await kubectl(args, { kubeconfig: server().adminKubeconfig });

    expect({ code, stderr, lines: stdout.trim().split('\n').length }).toEqual({ code: 0, stderr: '', lines: 6 });
  });
});
