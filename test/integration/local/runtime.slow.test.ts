import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { release } from 'node:os';
import path from 'node:path';

import { afterAll, beforeAll, beforeEach, expect, jest, test } from '@jest/globals';

import type { EventObject } from '../../../src/runtime/events/event.js';
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
  const eventsOf = async (name: string): Promise<readonly EventObject[]> => {
    const { text } = await server().call({ path: `/apis/events.k8s.io/v1/namespaces/${namespace}/events` });
    const list: { readonly items: readonly EventObject[] } = JSON.parse(text);
    const own = new RegExp(`^${name}(-\\w{10}-\\w{6})?$`);
    return list.items.filter(({ regarding }) => own.test(regarding?.['name'] ?? ''));
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

  test('the local runtime runs a Deployment as a process with a token of its ServiceAccount, and reports it available when it is ready', async () => {
    await deploy('web');
    const seen = await status('web', 'the process to be ready', isAvailable);
    const environment: { kubeconfig: string } = JSON.parse(await ask('web', '/readyz'));
    const token = await readFile(path.join(path.dirname(environment.kubeconfig), 'token'), 'utf8');
    const claims: { sub: string } = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());

    expect(claims.sub).toBe(`system:serviceaccount:${namespace}:runner`);
    expect(seen).toMatchObject({
      observedGeneration: 1,
      replicas: 1,
      updatedReplicas: 1,
      readyReplicas: 1,
      availableReplicas: 1,
    });
  });

  test('the local runtime reports once for each generation of a Deployment without the label that it is not run', async () => {
    await deploy('other', { labels: {}, replicas: 2 });
    const seen = await status('other', 'the word', (one) => one.observedGeneration === 1);
    const event = await waitFor('the Event', async () =>
      (await eventsOf('other')).find(({ reason }) => reason === 'NotRunHere'),
    );
    await deploy('web');
    await status('web', 'the labelled one to run', isAvailable);
    const path = `/apis/apps/v1/namespaces/${namespace}/deployments/other`;
    const before = (await server().call({ path })).body.metadata?.resourceVersion;
    await rig?.restart();
    await status('web', 'it to run again', isAvailable);
    const after = (await server().call({ path })).body.metadata?.resourceVersion;
    await patch('other', { spec: { replicas: 0 } });
    const none = await status('other', 'that nothing is wanted', (one) => one.observedGeneration === 2);

    expect(seen).toMatchObject({
      unavailableReplicas: 2,
      conditions: [
        {
          type: 'Available',
          status: 'False',
          reason: 'NotRunHere',
          message: expect.stringMatching(/only those of multicluster-engine/),
        },
        {
          type: 'Progressing',
          status: 'False',
          reason: 'ProgressDeadlineExceeded',
          message: expect.stringMatching(/only those of multicluster-engine/),
        },
      ],
    });
    expect(event).toMatchObject({ type: 'Warning', regarding: { kind: 'Deployment', name: 'other' } });
    expect(after).toBe(before);
    expect(none.conditions?.map(({ type, status: state }) => [type, state])).toEqual([
      ['Available', 'True'],
      ['Progressing', 'True'],
    ]);
  });

  test('the local runtime shows its process as a Pod of its Deployment, and replaces a Pod that was deleted with its process', async () => {
    const podsOf = async (): Promise<readonly PodSeen[]> => {
      const { text } = await server().call({ path: `/api/v1/namespaces/${namespace}/pods` });
      return JSON.parse(text).items;
    };
    const oneReady = (): Promise<PodSeen> =>
      waitFor('one ready Pod', async (seen) => {
        const pods = await podsOf();
        seen(pods);
        return pods.length === 1 && JSON.stringify(pods[0]?.status).includes('"ready":true') ? pods[0] : undefined;
      });
    await deploy('web');
    await status('web', 'the process', isAvailable);
    const first = await oneReady();
    const pid = await pidOf('web');
    await server().call({ method: 'DELETE', path: `/api/v1/namespaces/${namespace}/pods/${first.metadata.name}` });
    await waitFor('the process to be gone', () => !alive(pid));
    const second = await waitFor('another Pod', async () => {
      const pod = await oneReady();
      return pod.metadata.uid === first.metadata.uid ? undefined : pod;
    });

    expect(first).toMatchObject({
      metadata: { name: expect.stringMatching(/^web-[0-9a-f]{10}-\w{6}$/) },
      spec: { nodeName: 'local' },
      status: { phase: 'Running', podIP: '127.0.0.1', containerStatuses: [{ name: 'main', restartCount: 0 }] },
    });
    expect(first.metadata.ownerReferences).toMatchObject([{ kind: 'Deployment', name: 'web', controller: true }]);
    expect(second.metadata.ownerReferences).toEqual(first.metadata.ownerReferences);
    const events = await waitFor('the Events', async () => {
      const reasons = (await eventsOf('web')).map(({ reason }) => reason);
      return reasons.includes('Killing') ? reasons : undefined;
    });
    expect(events).toEqual(expect.arrayContaining(['Started', 'Killing']));

    await patch('web', { spec: { replicas: 0 } });
    await waitFor('no Pod', async () => (await podsOf()).length === 0);
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

  test('the local runtime restarts a process after it has exited', async () => {
    await deploy('web');
    await status('web', 'the first process', isAvailable);
    const first: { pid: number } = JSON.parse(await ask('web', '/readyz'));
    // A probe may fail, and be reported, before the exit is observed; and the next process may be running at the next
    // check. Each exit makes the backoff longer.
    const down = await status('web', 'the end to be seen', async (one) => {
      if (isAvailable(one)) await ask('web', '/end').catch(() => '');
      return !isAvailable(one) && JSON.stringify(one).includes('CrashLoopBackOff');
    });
    await status('web', 'another process', isAvailable);
    const second: { pid: number } = JSON.parse(await ask('web', '/readyz'));

    expect(JSON.stringify(down.conditions)).toMatch(
      /CrashLoopBackOff.+exited with code 3: no more: I was asked to end \(log: \/.+\.log\); it is restarted in \d+ s/,
    );
    const event = await waitFor('the Event', async () =>
      (await eventsOf('web')).find(({ reason }) => reason === 'BackOff'),
    );
    expect(event).toMatchObject({
      type: 'Warning',
      note: expect.stringMatching(/exited with code 3: no more: I was asked to end \(log: /),
    });
    expect(second.pid).not.toBe(first.pid);
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

interface PodSeen {
  readonly metadata: {
    readonly name: string;
    readonly uid: string;
    readonly ownerReferences: readonly { readonly kind: string; readonly name: string; readonly uid: string }[];
  };
  readonly status?: object;
}

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
