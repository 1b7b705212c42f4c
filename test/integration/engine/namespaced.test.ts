import { afterAll, beforeAll, expect, it } from '@jest/globals';

import type { KubeObject } from '../../../src/runtime/vocabulary/meta.js';
import { Deployments, Namespaces, ServiceAccounts } from '../../../src/runtime/vocabulary/kinds.js';
import { NAMESPACE } from '../../support/builders/engine.js';
import { installCrds } from '@multicluster-engine/kube-apiserver/testing/controlplane/install';
import { describeWithServer } from '@multicluster-engine/kube-apiserver/testing/controlplane/suite';
import { waitFor } from '@multicluster-engine/kube-apiserver/testing/wait';
import { applyOverlay } from '../deploy/overlay.js';
import { OperatorRig, User } from '../../support/rigs/server/engine.js';

const LONG_MS = 480_000;

describeWithServer('an engine with the permissions of the overlay namespaced', { own: true }, (server) => {
  let user: User;
  let operator: OperatorRig;

  beforeAll(async () => {
    await installCrds(server());
    await applyOverlay(server(), 'namespaced');
    user = new User(server());
    operator = await OperatorRig.start(server(), { onlyNamespace: NAMESPACE });
  }, LONG_MS);
  afterAll(async () => {
    await operator.stop();
    await user.close();
  }, LONG_MS);

  it(
    'an engine with the overlay namespaced is rejected when it names another namespace',
    async () => {
      await user.apply('elsewhere', { targetNamespace: 'elsewhere' });

      expect(await user.reaches('elsewhere', 'Error InvalidSpec')).toBe(
        `spec.targetNamespace: "elsewhere": must be ${NAMESPACE}: the operator runs with --namespace ${NAMESPACE}`,
      );
      await user.remove('elsewhere');
    },
    LONG_MS,
  );

  it(
    'an engine with the overlay namespaced is installed and removed without a request that is refused, and without one for namespaces or bindings',
    async () => {
      const mark = await user.mark();
      await user.apply('hub', {});
      await user.comesUp('hub', NAMESPACE);
      await user.remove('hub');
      await waitFor(
        'the Deployment to be marked',
        async () =>
          (await user.client.get<KubeObject>(Deployments, { namespace: NAMESPACE, name: 'placement-controller' }))
            ?.metadata.deletionTimestamp !== undefined,
      );
      await waitFor(
        'both to be marked',
        async () =>
          (await user.client.get<KubeObject>(Deployments, { namespace: NAMESPACE, name: 'gateway' }))?.metadata
            .deletionTimestamp !== undefined,
      );
      await user.collect(NAMESPACE);
      await waitFor('the engine to go', async () => (await user.engine('hub')) === undefined, { deadlineMs: 180_000 });

      expect(
        await user.client.get(ServiceAccounts, { namespace: NAMESPACE, name: 'placement-controller' }),
      ).toBeUndefined();
      expect(
        (await user.client.get<KubeObject>(Namespaces, { name: NAMESPACE }))?.metadata.deletionTimestamp,
      ).toBeUndefined();
      expect((await user.requests(mark)).filter((one) => /403|namespaces|bindings/.test(one))).toEqual([]);
    },
    LONG_MS,
  );
});
