import { afterAll, beforeAll, expect, it } from '@jest/globals';

import { DEFAULT_TARGET_NAMESPACE, OPERATOR_NAMESPACE, OPERATOR_SERVICE_ACCOUNT } from '../../src/api/names.js';
import { describeWithServer } from '@multicluster-engine/kube-apiserver/testing/controlplane/suite';
import { kubectlOk } from '@multicluster-engine/kube-apiserver/testing/kubectl';
import { waitFor } from '@multicluster-engine/kube-apiserver/testing/wait';
import { deploy, startOperator } from '../support/hub/operator.js';
import type { Pod } from '../support/hub/pod.js';
import { root } from '../support/repository/root.js';

const MINUTE = 60_000;
const NODES = ['node-a', 'node-b', 'node-c'];
/** The node of each pod that is not about to end. */
const PLACES =
  '-o=jsonpath={range .items[?(@.status.phase=="Running")]}{.metadata.deletionTimestamp}{"/"}{.spec.nodeName}{"\\n"}{end}';

describeWithServer(
  'deploy/overlays/ha on a hub with three nodes',
  { own: true, capabilities: ['pods', 'rollouts', 'serviceAccounts'] },
  (server) => {
    let operator: Pod | undefined;

    beforeAll(async () => {
      for (const name of NODES) await server().addNode({ name, labels: { 'kubernetes.io/hostname': name } });
      await deploy(server(), 'ha');
      operator = await startOperator(server(), { overlay: 'ha' });
      await operator.ready();
    }, 3 * MINUTE);
    afterAll(() => operator?.stop(), MINUTE);

    function kubectl(...args: readonly string[]): Promise<string> {
      return kubectlOk(args, { kubeconfig: server().adminKubeconfig });
    }

    /** Waits until the operator's pods run on these nodes, and no other. */
    function operatorOn(nodes: readonly string[]): Promise<boolean> {
      return waitFor(
        `the operator to run on ${nodes.join(', ')}`,
        async (seen) => {
          const lines = (await kubectl('get', 'pods', '-n', OPERATOR_NAMESPACE, PLACES)).split('\n');
          const found = lines.flatMap((line) => (line.startsWith('/') ? [line.slice(1)] : [])).sort();
          seen(found);
          return found.length === 3 && [...new Set(found)].join() === nodes.join();
        },
        { deadlineMs: 2 * MINUTE },
      );
    }

    it(
      'deploy/overlays/ha runs each replica of the operator on a node of its own, and all three while a node is drained',
      async () => {
        await operatorOn(NODES);

        const drained = await kubectl('drain', 'node-c', '--ignore-daemonsets', '--timeout=120s');

        expect(drained).toContain('node/node-c drained');
        await operatorOn(['node-a', 'node-b']);
        await kubectl('uncordon', 'node-c');
      },
      5 * MINUTE,
    );

    it(
      'deploy/overlays/ha runs each replica of the operator on a node of its own after a rollout too',
      async () => {
        const operatorRollout = (verb: string): Promise<string> =>
          kubectl('rollout', verb, `deployment/${OPERATOR_SERVICE_ACCOUNT}`, '-n', OPERATOR_NAMESPACE);

        await operatorRollout('restart');
        await operatorRollout('status');

        await operatorOn(NODES);
      },
      3 * MINUTE,
    );

    it(
      'deploy/overlays/ha lets one replica of the operator be evicted at a time',
      async () => {
        await waitFor('the budget of all three replicas', async (seen) => {
          const budget = ['get', `pdb/${OPERATOR_SERVICE_ACCOUNT}`, '-n', OPERATOR_NAMESPACE];
          const found = await kubectl(...budget, '-o=jsonpath={.status.currentHealthy} {.status.disruptionsAllowed}');
          seen(found);
          return found === '3 1';
        });
      },
      2 * MINUTE,
    );

    it(
      'deploy/overlays/ha runs three replicas of each component',
      async () => {
        await kubectl('apply', '-f', `${root}/examples/engine.yaml`);
        await kubectl('wait', '--for=condition=Ready', '--timeout=120s', 'mce/engine');

        const replicas = '-o=jsonpath={range .items[*]}{.metadata.name} {.status.availableReplicas}{"\\n"}{end}';
        expect(await kubectl('get', 'deployments', '-n', DEFAULT_TARGET_NAMESPACE, replicas)).toBe(
          'gateway 3\nplacement-controller 3\n',
        );
      },
      3 * MINUTE,
    );
  },
);
