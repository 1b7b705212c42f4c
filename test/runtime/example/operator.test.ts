import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { WRITES } from '@multicluster-engine/kube-apiserver/testing/controlplane/audit';
import { describeWithServer } from '@multicluster-engine/kube-apiserver/testing/controlplane/suite';
import { waitFor } from '@multicluster-engine/kube-apiserver/testing/wait';

import type { KubeClient } from '../../../src/runtime/client/client.js';
import { createClient } from '../../../src/runtime/client/rest.js';
import type { EventObject } from '../../../src/runtime/events/recorder.js';
import type { Lease } from '../../../src/runtime/leaderelection/leaserecord.js';
import type { Transport } from '../../../src/runtime/transport/transport.js';
import { ConfigMaps, CustomResourceDefinitions, Events, Leases } from '../../../src/runtime/vocabulary/kinds.js';
import { parseJson, textField, field } from '../../../src/runtime/vocabulary/json.js';
import { transportOf } from '../../support/clients/transport.js';
import { definition, Greetings, type ConfigMap, type Greeting } from './greeting.js';

const program = fileURLToPath(new URL('operator.js', import.meta.url));
const namespace = 'default';
const options = { fieldManager: 'test' };

/** A process of the operator. */
class Operator {
  readonly process: ChildProcess;
  readonly lines: unknown[] = [];

  constructor(kubeconfig: string) {
    const env = { ...process.env, KUBECONFIG: kubeconfig };
    this.process = spawn(process.execPath, [program], { env, stdio: ['ignore', 'pipe', 'inherit'] });
    if (this.process.stdout !== null)
      createInterface(this.process.stdout).on('line', (line) => void this.lines.push(parseJson(line)));
  }

  said(message: string): boolean {
    return this.lines.some((line) => textField(line, 'msg') === message);
  }

  /** The response of its endpoint `metrics` or `health`. */
  async ask(endpoint: string, path: string): Promise<{ readonly code: number; readonly text: string }> {
    const line = this.lines.find((one) => textField(one, 'endpoint') === endpoint);
    const response = await fetch(`http://127.0.0.1:${String(field(line, 'port'))}${path}`);
    return { code: response.status, text: await response.text() };
  }

  /** How many passes have ended. */
  async passes(): Promise<number> {
    const { text } = await this.ask('metrics', '/metrics');
    const counts = text.matchAll(/^controller_runtime_reconcile_total\{.*\} (\d+)$/gm);
    return [...counts].reduce((sum, [, count]) => sum + Number(count), 0);
  }

  /** Resolves with its exit code. */
  async stop(): Promise<number | null> {
    if (this.process.exitCode !== null) return this.process.exitCode;
    const exit = once(this.process, 'exit');
    this.process.kill('SIGTERM');
    await exit;
    return this.process.exitCode;
  }
}

describeWithServer('an operator for a kind of its own', { own: true, capabilities: ['requestLog'] }, (server) => {
  let transport: Transport;
  let client: KubeClient;
  const operators: Operator[] = [];
  const started = (): Operator => {
    const operator = new Operator(server().adminKubeconfig);
    operators.push(operator);
    return operator;
  };
  let first: Operator;

  beforeAll(async () => {
    transport = transportOf(server().adminKubeconfig);
    client = createClient(transport);
    await client.create(CustomResourceDefinitions, definition, options);
    await waitFor('Greetings to be served', async () => (await client.list(Greetings, namespace)).length === 0);
    first = started();
  });
  afterAll(async () => {
    await Promise.all(operators.map((one) => one.stop()));
    await transport.close();
  });

  const greet = (name: string): Promise<Greeting> =>
    client.create<Greeting>(Greetings, { metadata: { namespace, name }, spec: { text: `hello ${name}` } }, options);
  const configMap = (name: string): Promise<ConfigMap | undefined> =>
    client.get<ConfigMap>(ConfigMaps, { namespace, name });
  const written = (name: string, text: string): Promise<ConfigMap> =>
    waitFor(`the ConfigMap ${name} to say "${text}"`, async (seen) => {
      const found = await configMap(name);
      seen(found);
      return found?.data?.['text'] === text ? found : undefined;
    });
  const reported = (name: string, reason: string): Promise<Greeting> =>
    waitFor(`the Greeting ${name} to report ${reason}`, async (seen) => {
      const found = await client.get<Greeting>(Greetings, { namespace, name });
      seen(found?.status);
      return found?.status?.conditions?.[0]?.reason === reason ? found : undefined;
    });

  it('a Greeting gets its ConfigMap, a condition and an event', async () => {
    const { metadata } = await greet('world');

    const { metadata: own } = await written('world', 'hello world');
    expect(own.ownerReferences).toEqual([expect.objectContaining({ uid: metadata.uid, controller: true })]);
    const { status } = await reported('world', 'Written');
    expect(status?.conditions).toEqual([expect.objectContaining({ type: 'Ready', status: 'True' })]);
    await waitFor('the event', async () =>
      (await client.list<EventObject>(Events, namespace)).some(({ regarding }) => regarding?.['uid'] === metadata.uid),
    );
    for (const path of ['/livez', '/readyz']) expect((await first.ask('health', path)).code).toBe(200);
  });

  it('a ConfigMap that somebody changed or deleted is repaired', async () => {
    const { metadata } = await written('world', 'hello world');
    await client.update<ConfigMap>(ConfigMaps, { metadata, data: { text: 'goodbye' } }, options);
    const { uid = '', resourceVersion = '' } = (await written('world', 'hello world')).metadata;
    expect(uid).toBe(metadata.uid);

    await client.delete(ConfigMaps, { namespace, name: 'world' }, { preconditions: { uid, resourceVersion } });
    expect((await written('world', 'hello world')).metadata.uid).not.toBe(uid);
  });

  it('a pass that finds nothing to change writes nothing', async () => {
    const { metadata } = await reported('world', 'Written');
    const passes = await first.passes();
    const mark = await server().logMark();
    const { uid = '', resourceVersion = '' } = metadata;
    await client.patchMetadata(Greetings, metadata, { uid, resourceVersion, annotations: { seen: 'true' } }, options);
    await waitFor('another pass', async () => (await first.passes()) > passes);

    const requests = await server().requestLog({ after: mark, verbs: WRITES });
    expect(
      requests.filter(({ userAgent, resource }) => userAgent.startsWith('greeter/') && resource !== 'leases'),
    ).toEqual([]);
  });

  it('a ConfigMap of somebody else stays as it is, and the Greeting says so', async () => {
    const data = { text: 'mine' };
    await client.create<ConfigMap>(ConfigMaps, { metadata: { namespace, name: 'taken' }, data }, options);
    await greet('taken');

    const { status } = await reported('taken', 'NameTaken');
    expect(status?.conditions?.[0]?.status).toBe('False');
    expect((await configMap('taken'))?.data).toEqual(data);
  });

  it('a second process takes over as soon as the first has ended', async () => {
    const second = started();
    await waitFor('the second to wait for the Lease', () => second.said('lease is held by another identity'));
    expect(await first.stop()).toBe(0);

    await greet('again');
    await written('again', 'hello again');
    const lease = await client.get<Lease>(Leases, { namespace, name: 'greeter' });
    expect(lease?.spec?.leaseTransitions).toBe(1);
    expect(await second.passes()).toBeGreaterThan(0);
  });
});
