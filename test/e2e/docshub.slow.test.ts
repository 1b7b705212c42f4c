import path from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { DEFAULT_TARGET_NAMESPACE } from '../../src/api/names.js';
import { version } from '../../src/runtime/process/build.js';
import { kindsServed } from '@multicluster-engine/kube-apiserver/testing/controlplane/install';
import { describeWithServer } from '@multicluster-engine/kube-apiserver/testing/controlplane/suite';
import { waitFor } from '@multicluster-engine/kube-apiserver/testing/wait';
import { pathWithPlugin } from '../support/clients/plugin.js';
import { runComponents, type Components } from '../support/hub/components.js';
import { startOperator } from '../support/hub/operator.js';
import type { Pod } from '../support/hub/pod.js';
import { readPage } from '../support/repository/documents.js';
import { stepsIn, type Step } from '../support/repository/markdown.js';
import { ReaderSession } from '../support/repository/session.js';

const MINUTE = 60_000;
/** The image that the reader installs first, and the one of the upgrade. */
const PREVIOUS = 'registry.example.com/multicluster-engine:0.0.9';
const CURRENT = 'registry.example.com/multicluster-engine:0.1.0';
/** The fleet and the Placement of the README. */
const EXAMPLES = [
  'kubectl apply -f examples/fleet.yaml',
  'kubectl apply --server-side --force-conflicts --subresource=status -f examples/status/claims.yaml',
  'kubectl apply -f examples/placement.yaml',
  'kubectl wait --for=condition=Ready placement/web -n shop --timeout=60s',
];
const DECISION = `kubectl get placementdecisions -n shop -o jsonpath='{.items[*].status.decisions[*].clusterName}'`;

function stepsOf(page: string): Step[] {
  return stepsIn(readPage(page)).map(({ command, output }) => ({
    command: command
      .replaceAll(/REGISTRY\/multicluster-engine:(?:TAG|PREVIOUS)/g, PREVIOUS)
      .replaceAll('REGISTRY/multicluster-engine:NEW', CURRENT)
      // One build runs in both: the test shows that the wait ends, not that it waits.
      .replaceAll(/\b(?:NEW|PREVIOUS)-VERSION\b/g, version()),
    output,
  }));
}

const INSTALL = stepsOf('docs/how-to/install.md');
const UPGRADE = stepsOf('docs/how-to/upgrade.md');
const AVAILABILITY = stepsOf('docs/how-to/high-availability.md');
const MISTAKES = stepsOf('docs/how-to/recover-from-a-mistake.md');
const UNINSTALL = stepsOf('docs/how-to/uninstall.md');
/** The step that deletes the engine: those before it are refused. */
const ENGINE = UNINSTALL.findIndex(({ command }) => command.startsWith('kubectl delete mce'));

// The overlays have a ResourceQuota and a FlowSchema, which the embedded server does not serve.
describeWithServer('a reader of the pages on a hub', { own: true, capabilities: ['rollouts', 'quota'] }, (server) => {
  let reader: ReaderSession;
  let operator: Pod | undefined;
  let components: Components;
  let decision: readonly string[] = [];

  beforeAll(async () => {
    for (const zone of ['a', 'b', 'c']) {
      const name = `node-${zone}`;
      await server().addNode({ name, labels: { 'kubernetes.io/hostname': name } });
    }
    components = runComponents(server());
    reader = new ReaderSession(server().folder, {
      PATH: pathWithPlugin(path.join(server().folder, 'bin')),
      TMPDIR: server().folder,
      KUBECONFIG: server().adminKubeconfig,
    });
  }, 6 * MINUTE);
  afterAll(async () => {
    await components.stop();
    await operator?.stop();
  }, 3 * MINUTE);

  /** Replaces the operator's process by one that gives `image` to the components, as a rollout does. */
  async function rollOut(image: string): Promise<void> {
    await operator?.stop();
    operator = await startOperator(server(), { env: { MULTICLUSTER_ENGINE_IMAGE: image } });
  }

  /** The operator's Deployment has it too: the commands of a page have set it there. */
  async function componentsHave(image: string): Promise<void> {
    const operators = `kubectl get deployment multicluster-engine-operator -n multicluster-engine-operator -o jsonpath='{.spec.template.spec.containers[*].image}'`;
    expect(await reader.succeeds(operators)).toEqual([image]);
    const images = `kubectl get deployments -n ${DEFAULT_TARGET_NAMESPACE} -o jsonpath='{.items[*].spec.template.spec.containers[*].image}'`;
    await reader.shows({ command: images, output: [`${image} ${image}`] });
    await reader.succeeds('kubectl wait --for=jsonpath={.status.phase}=Available mce/engine --timeout=120s');
  }

  describe('docs/how-to/install.md', () => {
    it(
      'the commands of the page install an engine with the image that the reader set',
      async () => {
        expect(INSTALL[0]?.command).toBe(`make deploy IMAGE=${PREVIOUS}`);
        for (const step of INSTALL) {
          await reader.shows(step);
          if (!step.command.startsWith('make deploy')) continue;
          await kindsServed(server());
          await rollOut(PREVIOUS);
        }
        await componentsHave(PREVIOUS);
      },
      8 * MINUTE,
    );

    it('the examples can be applied to the installed hub', async () => {
      for (const command of EXAMPLES) await reader.succeeds(command);
      decision = await reader.succeeds(DECISION);
      expect(decision.join(' ').split(' ')).toHaveLength(3);
    });
  });

  describe('docs/how-to/upgrade.md', () => {
    it(
      'the commands of the page bring the components to another image and back, and the decision stays',
      async () => {
        const applied: string[] = [];
        for (const step of UPGRADE) {
          await reader.shows(step);
          if (!step.command.startsWith('make deploy')) continue;
          const image = applied.length === 0 ? CURRENT : PREVIOUS;
          applied.push(image);
          await rollOut(image);
          await componentsHave(image);
          expect(await reader.succeeds(DECISION)).toEqual(decision);
        }
        expect(applied).toEqual([CURRENT, PREVIOUS]);
      },
      8 * MINUTE,
    );
  });

  describe('docs/how-to/high-availability.md', () => {
    it(
      'the overlay of the page rolls out three replicas of the operator on three nodes',
      async () => {
        for (const step of AVAILABILITY) await reader.shows(step);
        const replicas = `kubectl get deployment multicluster-engine-operator -n multicluster-engine-operator -o jsonpath='{.status.readyReplicas}'`;
        await reader.shows({ command: replicas, output: ['3'] });
        const leases = await reader.succeeds(AVAILABILITY.at(-1)?.command ?? '');
        expect(leases.join('\n')).toMatch(/^multicluster-engine-engine +\S/m);
      },
      8 * MINUTE,
    );
  });

  describe('docs/how-to/recover-from-a-mistake.md', () => {
    it(
      'each mistake of the page is told, keeps what the page says, and is taken back, and no other decision changes',
      async () => {
        for (const step of MISTAKES) await reader.shows(step);
        expect(await reader.succeeds(DECISION)).toEqual(decision);

        for (const command of EXAMPLES) await reader.succeeds(command);
        const phase = `kubectl get placement web -n shop -o jsonpath='{.status.phase}'`;
        await reader.shows({ command: phase, output: ['Satisfied'] });
        expect(await reader.succeeds(DECISION)).toEqual(decision);
      },
      8 * MINUTE,
    );
  });

  describe('docs/how-to/uninstall.md', () => {
    it(
      'the page shows what is refused, and its command for the engine removes the components and keeps the decision',
      async () => {
        const steps = UNINSTALL.slice(0, ENGINE + 1);
        expect(steps.map(({ output }) => output.length > 0)).toEqual([true, true, false]);
        for (const step of steps) await reader.shows(step);

        const namespace = `kubectl get namespace ${DEFAULT_TARGET_NAMESPACE} --ignore-not-found -o name`;
        await waitFor('the namespace to go', async () => (await reader.succeeds(namespace)).length === 0);
        expect(await reader.succeeds(DECISION)).toEqual(decision);
        expect(await reader.succeeds('kubectl get placements -n shop -o name')).toHaveLength(1);
      },
      8 * MINUTE,
    );

    it(
      'the commands for the operator keep the data, and those for the data remove all that the manifests have created',
      async () => {
        // A kubelet ends the process when the Deployment is deleted.
        await operator?.stop();
        await reader.shows(UNINSTALL[ENGINE + 1] ?? { command: 'false', output: [] });
        expect(await reader.succeeds(DECISION)).toEqual(decision);
        expect(UNINSTALL).toHaveLength(ENGINE + 5);
        for (const step of UNINSTALL.slice(ENGINE + 2)) await reader.shows(step);

        const left =
          'kubectl get crd,clusterrole,clusterrolebinding,validatingadmissionpolicy,namespace -o name | grep -E "multicluster|fleetmgmt" || true';
        await waitFor('the objects to go', async (seen) => {
          const names = await reader.succeeds(left);
          seen(names);
          return names.length === 0;
        });
      },
      12 * MINUTE,
    );
  });
});
