import path from 'node:path';

import { expect, test } from '@jest/globals';

import { describeWithServer } from '@multicluster-engine/kube-apiserver/testing/controlplane/suite';
import { kubectl } from '@multicluster-engine/kube-apiserver/testing/kubectl';
import { root } from '../../support/repository/root.js';

describeWithServer('kubectl apply -f crds/', {}, (server) => {
  // The server has the definitions already, without the annotation of a client-side apply: kubectl warns of that.
  test.each([[[]], [['--server-side', '--force-conflicts']]])(
    'kubectl apply -f crds/ with the flags %j succeeds and applies six custom resource definitions',
    async (flags) => {
      const args = ['apply', '-f', path.join(root, 'crds'), ...flags];

      const { code, stdout, stderr } = await kubectl(args, { kubeconfig: server().adminKubeconfig });

      const errors = stderr.split('\n').filter((line) => line !== '' && !line.startsWith('Warning: resource '));
      expect({ code, errors, lines: stdout.trim().split('\n').length }).toEqual({ code: 0, errors: [], lines: 6 });
    },
  );
});
