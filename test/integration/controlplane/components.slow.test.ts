import path from 'node:path';

import { afterEach, beforeEach, expect, test } from '@jest/globals';

import { DEFAULT_TARGET_NAMESPACE, ENGINE_LABEL, OPERATOR_NAMESPACE, PLACEMENT_LEASE } from '../../../src/api/names.js';
import { describeWithServer } from '@multicluster-engine/kube-apiserver/testing/controlplane/suite';
import { runComponents, type Components } from '../../support/hub/components.js';
import type { Pod } from '../../support/hub/pod.js';
import { kubectlOk } from '@multicluster-engine/kube-apiserver/testing/kubectl';
import { ownName } from '@multicluster-engine/kube-apiserver/testing/names';
import { root } from '../../support/repository/root.js';
import { deploy } from '../../support/hub/deployed.js';
import { waitFor } from '@multicluster-engine/kube-apiserver/testing/wait';

/** Stands for the product: prints who it is, and stays. */
const STAND_IN = [
  process.execPath,
  '--eval',
  'console.log(process.env.IDENTITY, process.argv.slice(1).join()); setInterval(() => undefined, 1000);',
  '--',
] as const;

const ACCOUNT = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'part' } };

function deployment(name: string, args: string[]): object {
  const env = [{ name: 'IDENTITY', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }];
  const template = {
    metadata: { labels: { app: name } },
    spec: { serviceAccountName: 'part', containers: [{ name: 'part', image: 'none', args, env }] },
  };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, labels: { [ENGINE_LABEL]: 'engine' } },
    spec: { replicas: 2, selector: { matchLabels: { app: name } }, template },
  };
}

describeWithServer("the processes of an engine's Deployments", { own: true }, (server) => {
  let namespace = '';
  let components: Components | undefined;
  let reported: string[] = [];

  beforeEach(async () => {
    namespace = ownName('parts');
    await kubectlOk(['create', 'namespace', namespace], { kubeconfig: server().adminKubeconfig });
    reported = [];
    components = runComponents(server(), {
      processes: 2,
      executable: STAND_IN,
      report: (line) => void reported.push(line),
    });
  });
  afterEach(() => components?.stop());

  const apply = (object: object): Promise<string> =>
    kubectlOk(['apply', '-n', namespace, '-f', '-'], {
      kubeconfig: server().adminKubeconfig,
      input: JSON.stringify(object),
    });

  const pods = (name: string): readonly Pod[] => components?.pods(namespace, name) ?? [];

  const logs = (name: string, wanted: (logs: readonly string[]) => boolean): Promise<readonly Pod[]> =>
    waitFor(`the processes of ${name} to say so`, (seen) => {
      const now = pods(name);
      const lines = now.map((pod) => pod.log().trim());
      seen(lines);
      return wanted(lines) ? now : undefined;
    });

  test("the processes of an engine's Deployments start under the rendered account and name, as many as there are replicas", async () => {
    await apply(ACCOUNT);
    await apply(deployment('first', ['operator', '--controllers=placement']));

    const started = await logs(
      'first',
      (lines) => lines.length === 2 && lines.every((line) => line.includes('operator,--controllers=placement')),
    );

    expect(started.map(({ user }) => user)).toEqual(Array(2).fill(`system:serviceaccount:${namespace}:part`));
    expect(new Set(started.map((pod) => pod.log())).size).toBe(2);
  });

  test("the processes of an engine's Deployments wait for their account", async () => {
    await apply(deployment('early', []));
    const failure = await waitFor('a start without the account to fail', (seen) => {
      seen(reported);
      return reported.find((line) => line.startsWith(`${namespace}/early: `));
    });
    expect(failure).toContain('"part" not found');
    expect(pods('early')).toEqual([]);

    await apply(ACCOUNT);

    await waitFor('the processes to run', () => pods('early').length === 2);
  });

  test("the processes of an engine's Deployments are replaced when the template changes, come back after a crash, and end with the Deployment", async () => {
    await apply(ACCOUNT);
    await apply(deployment('changing', ['one']));
    const first = await logs('changing', (lines) => lines.length === 2 && lines.every((line) => line.endsWith(' one')));

    await apply(deployment('changing', ['two']));
    const second = await logs(
      'changing',
      (lines) => lines.length === 2 && lines.every((line) => line.endsWith(' two')),
    );
    second[0]?.kill('SIGKILL');
    const third = await waitFor('another process', () => {
      const now = pods('changing');
      return now.length === 2 && now.every(({ pid }) => pid !== second[0]?.pid) ? now : undefined;
    });
    await kubectlOk(['delete', 'deployment', 'changing', '-n', namespace], { kubeconfig: server().adminKubeconfig });

    expect(first.map((pod) => pod.exit()?.signal)).toEqual(['SIGTERM', 'SIGTERM']);
    expect(third.map(({ name }) => name).sort()).toEqual(second.map(({ name }) => name).sort());
    await waitFor(
      'no process to be left',
      () => pods('changing').length === 0 && third.every((pod) => pod.exit() !== undefined),
    );
  });
});

describeWithServer('the placement-controller Deployment of deploy/', { own: true }, (server) => {
  test('the placement-controller Deployment of deploy/ becomes ready as a process under its own rights, and leaves no error when it is stopped', async () => {
    const admin = { kubeconfig: server().adminKubeconfig };
    const place = ['-n', DEFAULT_TARGET_NAMESPACE];
    await deploy(server());
    await kubectlOk(['apply', '-f', path.join(root, 'deploy/components/placement-controller/deployment.yaml')], admin);
    await kubectlOk(['label', 'deployment', 'placement-controller', `${ENGINE_LABEL}=engine`, ...place], admin);

    const components = runComponents(server());
    const pod = await waitFor(
      'the process to be started',
      () => components.pods(DEFAULT_TARGET_NAMESPACE, 'placement-controller')[0],
    );
    await pod.ready();
    const metrics = await pod.metrics();
    await components.stop();

    const holder = ['get', 'lease', PLACEMENT_LEASE, '-n', OPERATOR_NAMESPACE, '-o', 'jsonpath={.metadata.name}'];
    expect(metrics).toContain('leader_election_master_status');
    expect(await kubectlOk(holder, admin)).toBe(PLACEMENT_LEASE);
    expect(await pod.exited).toEqual({ code: 0, signal: null });
    expect(await server().requestLog({ user: pod.user, verbs: ['watch'], resources: ['placements'] })).not.toHaveLength(
      0,
    );
  });
});
