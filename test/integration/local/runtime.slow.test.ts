import { readFileSync } from 'node:fs';
import { release } from 'node:os';
import path from 'node:path';

import { afterAll, beforeAll, beforeEach, expect, jest, test } from '@jest/globals';

import { PART_OF_LABEL, PRODUCT } from '../../../src/api/names.js';
import { parseManifests } from '../../../src/runtime/manifests.js';
import type { AnyObject } from '@multicluster-engine/kube-apiserver/testing/controlplane/api';
import { describeWithServer } from '@multicluster-engine/kube-apiserver/testing/controlplane/suite';
import { ownName } from '@multicluster-engine/kube-apiserver/testing/names';
import { root } from '../../support/repository/root.js';
import { waitFor } from '@multicluster-engine/kube-apiserver/testing/wait';
import { post, LocalRuntimeRig } from '../../support/rigs/server/local.js';
import { alive } from '../../support/processes/alive.js';

jest.setTimeout(300_000);

describeWithServer('the local runtime', { own: true }, (server) => {
  let namespace: string;
  let rig: LocalRuntimeRig | undefined;

  beforeAll(async () => {
    await post(server(), 'api/v1/namespaces', { metadata: { name: 'kube-system' } });
    const rights = path.join(root, 'deploy/standalone/local-runtime.yaml');
    for (const object of parseManifests(readFileSync(rights, 'utf8'), rights)) {
      await post(server(), COLLECTIONS[object.kind ?? ''] ?? '', JSON.parse(JSON.stringify(object)));
    }
    rig = await LocalRuntimeRig.open(server());
  }, 180_000);
  beforeEach(async () => {
    namespace = ownName('local');
    await post(server(), 'api/v1/namespaces', { metadata: { name: namespace } });
    await post(server(), `api/v1/namespaces/${namespace}/serviceaccounts`, { metadata: { name: 'runner' } });
  });
  afterAll(() => rig?.close());

  const deploy = (name: string, change: Change = {}): Promise<AnyObject> =>
    post(server(), `apis/apps/v1/namespaces/${namespace}/deployments`, deployment(name, change));
  const status = (
    name: string,
    what: string,
    passes: (status: Status) => boolean | Promise<boolean>,
  ): Promise<Status> =>
    waitFor(
      what,
      async (seen) => {
        const { body } = await server().call({ path: `/apis/apps/v1/namespaces/${namespace}/deployments/${name}` });
        const found: Status = JSON.parse(JSON.stringify(body.status ?? {}));
        seen(found);
        return (await passes(found)) ? found : undefined;
      },
      { deadlineMs: 120_000 },
    );
  const ask = async (name: string, uri: string): Promise<string> => {
    const address = rig?.addressOf(namespace, name) ?? 'nowhere';
    return (await fetch(`http://${address}${uri}`)).text();
  };
  const patch = async (name: string, body: unknown): Promise<void> => {
    const answer = await server().call({
      method: 'PATCH',
      path: `/apis/apps/v1/namespaces/${namespace}/deployments/${name}`,
      body,
      contentType: 'application/merge-patch+json',
    });
    expect(answer.status).toBe(200);
  };

  const pidOf = async (name: string): Promise<number> => {
    const { pid }: { pid: number } = JSON.parse(await ask(name, '/readyz'));
    return pid;
  };
  test('the local runtime creates its node, Ready, with the labels and the capacity of this machine', async () => {
    const { body } = await server().call({ path: '/api/v1/nodes/local' });
    expect(body.metadata?.labels).toMatchObject({ 'kubernetes.io/hostname': 'local' });
    expect(JSON.stringify(body.status)).toContain('"type":"Ready","status":"True"');
    expect(body.status).toMatchObject({
      capacity: { cpu: expect.stringMatching(/^\d+$/), memory: expect.stringMatching(/^\d+Ki$/) },
      allocatable: {},
      nodeInfo: { kernelVersion: release() },
    });
  });

  test('the local runtime deletes the Pods that an earlier one has left on its node', async () => {
    const stale = `/api/v1/namespaces/${namespace}/pods/stale`;
    await post(server(), `api/v1/namespaces/${namespace}/pods`, {
      metadata: { name: 'stale' },
      spec: { nodeName: 'local', containers: [{ name: 'main', image: 'x' }] },
    });
    await rig?.restart();
    expect((await server().call({ path: stale })).status).toBe(404);
  });

  test('the local runtime reports a Deployment as not Available while its readiness probe fails, and restarts a process whose liveness probe fails', async () => {
    await deploy('web');
    await status('web', 'the process to be ready', isAvailable);
    await status('web', 'the failure to be seen', async (one) => {
      if (isAvailable(one)) await ask('web', '/sicken').catch(() => '');
      return !isAvailable(one);
    });
    await status('web', 'a healthy process in its place', isAvailable);
  });

  test('the local runtime replaces the process when the template changes, and stops it with the Deployment', async () => {
    await deploy('web');
    await status('web', 'the first process', isAvailable);
    const first: { pid: number } = JSON.parse(await ask('web', '/readyz'));
    await patch('web', { spec: { template: { metadata: { annotations: { changed: 'yes' } } } } });
    await status('web', 'the second generation', (one) => one.observedGeneration === 2 && isAvailable(one));
    const second: { pid: number } = JSON.parse(await ask('web', '/readyz'));
    await patch('web', { spec: { replicas: 0 } });
    await waitFor('the process to be gone', () => !alive(second.pid));

    expect(second.pid).not.toBe(first.pid);
    expect(alive(first.pid)).toBe(false);
  });

  test('the local runtime reports a missing Secret as the problem, and updates mounted files when the Secret changes', async () => {
    await deploy('web', { secret: 'pair' });
    const waiting = await status('web', 'the missing Secret to be named', (one) =>
      JSON.stringify(one).includes('pair'),
    );
    await post(server(), `api/v1/namespaces/${namespace}/secrets`, {
      metadata: { name: 'pair' },
      data: { file: btoa('one') },
    });
    await status('web', 'the process', isAvailable);
    const before = await ask('web', '/file');
    await server().call({
      method: 'PATCH',
      path: `/api/v1/namespaces/${namespace}/secrets/pair`,
      body: { data: { file: btoa('two') } },
      contentType: 'application/merge-patch+json',
    });
    await waitFor('the new content', async () => (await ask('web', '/file')) === 'two');

    expect(before).toBe('one');
    expect(JSON.stringify(waiting.conditions)).toContain(`volume files: Secret ${namespace}/pair does not exist`);
  });

  test('the local runtime stops the process of a deleted Deployment, also when another one of the same name cannot start', async () => {
    await deploy('web');
    await status('web', 'the first process', isAvailable);
    const first = await pidOf('web');
    await server().call({ method: 'DELETE', path: `/apis/apps/v1/namespaces/${namespace}/deployments/web` });
    await deploy('web', { secret: 'none' });
    await waitFor('the process to be gone', () => !alive(first));
    const seen = await status('web', 'the problem', (one) => JSON.stringify(one).includes('FailedCreate'));
    expect(seen).toMatchObject({ unavailableReplicas: 1, terminatingReplicas: 0 });
  });

  test('the local runtime stops the process of a Deployment that is no longer of this product, and reports it', async () => {
    await deploy('web');
    await status('web', 'the process', isAvailable);
    const pid = await pidOf('web');
    await patch('web', { metadata: { labels: { [PART_OF_LABEL]: null } } });
    await waitFor('the process to be gone', () => !alive(pid));
    const seen = await status('web', 'the problem', (one) => !isAvailable(one));

    expect(JSON.stringify(seen.conditions)).toContain('NotRunHere');
    expect(seen).not.toHaveProperty('replicas');
  });

  test('the local runtime runs one process when more replicas are wanted, and reports it', async () => {
    await deploy('many', { replicas: 3 });
    const seen = await status('many', 'one of three', (one) => one.availableReplicas === 1);

    expect(seen).toMatchObject({ replicas: 1, unavailableReplicas: 2 });
    expect(JSON.stringify(seen.conditions)).toContain('OneProcessEach');
  });

  test('the local runtime writes nothing while nothing changes', async () => {
    await deploy('web');
    await status('web', 'the process', isAvailable);
    const { body } = await server().call({ path: `/apis/apps/v1/namespaces/${namespace}/deployments/web` });
    await rig?.restart();
    await waitFor('the process of the second runtime', async () => (await ask('web', '/readyz')) !== '');
    await status('web', 'it to be available again', isAvailable);
    const after = await server().call({ path: `/apis/apps/v1/namespaces/${namespace}/deployments/web` });

    expect(after.body.metadata?.generation).toBe(body.metadata?.generation);
  });
});

const COLLECTIONS: Readonly<Record<string, string>> = {
  ServiceAccount: 'api/v1/namespaces/kube-system/serviceaccounts',
  ClusterRole: 'apis/rbac.authorization.k8s.io/v1/clusterroles',
  ClusterRoleBinding: 'apis/rbac.authorization.k8s.io/v1/clusterrolebindings',
};

interface Status {
  readonly observedGeneration?: number;
  readonly replicas?: number;
  readonly updatedReplicas?: number;
  readonly availableReplicas?: number;
  readonly conditions?: readonly { readonly type: string; readonly status: string }[];
}

interface Change {
  readonly labels?: Readonly<Record<string, string>>;
  readonly replicas?: number;
  readonly secret?: string;
}

function isAvailable(status: Status): boolean {
  return status.conditions?.some(({ type, status: state }) => type === 'Available' && state === 'True') === true;
}

function deployment(name: string, change: Change): AnyObject {
  const { labels = { [PART_OF_LABEL]: PRODUCT }, replicas = 1, secret } = change;
  const probe = { httpGet: { path: '/healthz', port: 'health' }, periodSeconds: 1, failureThreshold: 1 };
  const container = {
    name: 'main',
    image: 'none',
    env: [
      { name: 'HEALTH_LISTEN', value: '0.0.0.0:8081' },
      { name: 'FILE', value: '/files/file' },
    ],
    ports: [{ name: 'health', containerPort: 8081 }],
    readinessProbe: probe,
    livenessProbe: { ...probe, failureThreshold: 2 },
    ...(secret === undefined ? {} : { volumeMounts: [{ name: 'files', mountPath: '/files' }] }),
  };
  const spec = {
    serviceAccountName: 'runner',
    containers: [container],
    ...(secret === undefined ? {} : { volumes: [{ name: 'files', secret: { secretName: secret } }] }),
  };
  const pods = { app: name };
  return {
    metadata: { name, labels },
    spec: { replicas, selector: { matchLabels: pods }, template: { metadata: { labels: pods }, spec } },
  };
}
