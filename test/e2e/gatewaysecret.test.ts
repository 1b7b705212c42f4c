import { readFileSync } from 'node:fs';
import path from 'node:path';

import { afterAll, beforeAll, expect, it } from '@jest/globals';

import { DEFAULT_TARGET_NAMESPACE } from '../../src/api/names.js';
import { startChild } from '@multicluster-engine/kube-apiserver';
import { issueServingCertificate } from '../../src/runtime/tls/serving.js';
import { pathWithKubectl } from '../support/clients/kubectl.js';
import { describeWithServer } from '@multicluster-engine/kube-apiserver/testing/controlplane/suite';
import { Hub } from '../support/hub/hub.js';
import { root } from '../support/repository/root.js';
import { fields, text } from '../support/scenario/checks/reading.js';
import { stepsIn } from '../support/repository/markdown.js';
import { waitFor } from '@multicluster-engine/kube-apiserver/testing/wait';
import { CertManager } from './certmanager.js';
import { GatewayClient, NAMES, SECRET } from './gatewayclient.js';

const MINUTE = 60_000;
const HUB = {
  capabilities: ['rollouts', 'garbageCollection', 'namespaceDeletion', 'serviceAccounts', 'requestLog'],
} as const;
const STEPS = stepsIn(readFileSync(path.join(root, 'docs/how-to/cert-manager.md'), 'utf8'));
/** The two procedures: before there is an engine, and on a hub whose engine runs. */
const FRESH = STEPS.slice(0, STEPS.findIndex(({ command }) => command.includes('examples/engine.yaml')) + 1);
const RUNNING = STEPS.slice(FRESH.length);

describeWithServer('a Secret gateway-tls', { own: true, ...HUB }, (server) => {
  let hub: Hub;
  let issuer: CertManager;
  let client: GatewayClient;

  beforeAll(async () => {
    hub = await Hub.open(server());
    issuer = await CertManager.start(server());
  }, 6 * MINUTE);
  afterAll(async () => {
    await issuer.stop();
    await hub.stop();
  }, 3 * MINUTE);

  /** Runs a command of the page in the folder of the repository. */
  async function type(command: string): Promise<void> {
    const env = {
      PATH: pathWithKubectl(),
      HOME: server().folder,
      KUBECONFIG: server().adminKubeconfig,
    };
    const child = await startChild({ command: ['/bin/sh', '-c', command], env, cwd: root, output: 'pipe' });
    let printed = '';
    child.output.setEncoding('utf8').on('data', (part: string) => (printed += part));
    expect({ command, exit: await child.exited, printed }).toMatchObject({ exit: { code: 0 } });
  }

  async function data(file: string): Promise<string> {
    return atob(text(fields((await hub.get(SECRET))?.['data'])[file]));
  }

  async function revision(): Promise<string> {
    return (await hub.get(SECRET))?.metadata?.resourceVersion ?? '';
  }

  /** Waits until the engine reports this about the Secret. */
  async function reported(row: string): Promise<void> {
    await hub.engine(
      `to say ${row}`,
      ({ status }) =>
        status?.phase === 'Available' &&
        (status.components ?? []).some(
          (one) => one.kind === 'Secret' && `${one.reason}: ${one.message}`.startsWith(row),
        ),
    );
  }

  const GIVEN = 'Given: was created by somebody else and is used unchanged; valid until ';
  const OURS = 'Applied: applied';

  it(
    'a Secret of cert-manager that exists before the engine, as in docs/how-to/cert-manager.md, is used unchanged',
    async () => {
      expect(FRESH.length).toBeGreaterThan(2);
      for (const { command } of FRESH) await type(command);
      await hub.available();
      client = await GatewayClient.open(hub);

      for (const name of NAMES) await client.served(await data('ca.crt'), name);
      await reported(GIVEN);
      expect(await client.trusted()).toBe('');
      const written = await revision();
      await hub.settled();
      expect(await revision()).toBe(written);
      expect((await hub.writes(0)).filter(({ name }) => name === 'gateway-tls')).toEqual([]);
    },
    6 * MINUTE,
  );

  it(
    'a Secret that cert-manager renews is loaded by the running process',
    async () => {
      const before = await data('ca.crt');
      const { pid } = client.pod;

      issuer.renew();

      const after = await waitFor('the renewal', async () => {
        const now = await data('ca.crt');
        return now === before ? undefined : now;
      });
      await client.served(after);
      await expect(client.list(before)).rejects.toThrow(/self-signed certificate|unable to verify/);
      expect([client.pod.exit(), client.pod.pid]).toEqual([undefined, pid]);
      expect((await hub.writes(0)).filter(({ name }) => name === 'gateway-tls')).toEqual([]);
    },
    5 * MINUTE,
  );

  it(
    'a Secret whose key does not belong to it is named while the running process serves on, until it is mended',
    async () => {
      const ca = await data('ca.crt');
      const key = await data('tls.key');
      const { privateKey } = await issueServingCertificate({ names: NAMES, now: Date.now() });

      await hub.patch(SECRET, { data: { 'tls.key': btoa(privateKey) } });

      const ready = await hub.reason('CertificateUnusable');
      expect(ready.message).toContain(
        `Secret ${DEFAULT_TARGET_NAMESPACE}/gateway-tls: tls.key does not belong to tls.crt`,
      );
      await client.served(ca);
      await hub.patch(SECRET, { data: { 'tls.key': btoa(key) } });
      await reported(GIVEN);
      expect(client.pod.exit()).toBeUndefined();
    },
    5 * MINUTE,
  );

  it(
    'a deleted Secret gateway-tls of another owner is replaced by one of the operator',
    async () => {
      await hub.remove(`/apis/cert-manager.io/v1/namespaces/${DEFAULT_TARGET_NAMESPACE}/certificates/gateway`);
      // A reconciliation that began before would create the Secret again.
      await issuer.synced();
      await hub.remove(SECRET);

      const ca = await waitFor('the ConfigMap', async () => (await client.trusted()) || undefined);
      await client.served(ca);
      await reported(OURS);
      expect(client.pod.exit()).toBeUndefined();
    },
    5 * MINUTE,
  );

  it(
    'a Secret of the operator whose data is overwritten is created again, and its CA is published first',
    async () => {
      const before = await client.trusted();
      const foreign = await issueServingCertificate({ names: NAMES, now: Date.now() });
      const mark = await server().logMark();

      await hub.patch(SECRET, { data: { 'tls.crt': btoa(foreign.certificate), 'tls.key': btoa(foreign.privateKey) } });

      const after = await waitFor('the next certificate', async () => {
        const now = await client.trusted();
        return now === before ? undefined : now;
      });
      expect(after).not.toContain(foreign.certificate.trim());
      await waitFor('the repair', async () => after.includes((await data('tls.crt')).trim()));
      await client.served(after.replace(/^[^]*(?=-----BEGIN CERTIFICATE-----)/, ''));
      await reported(OURS);
      expect(
        (await hub.writes(mark, /operator$/))
          .filter(({ name }) => name.startsWith('gateway-'))
          .map(({ resource, name }) => `${resource} ${name}`),
      ).toEqual(['configmaps gateway-ca', 'secrets gateway-tls']);
      await waitFor('the event', async () =>
        (await hub.kubectl('get', 'events.events.k8s.io', '-A')).includes('DriftRepaired'),
      );
      expect(client.pod.exit()).toBeUndefined();
    },
    5 * MINUTE,
  );

  it(
    'a Secret of the operator is handed over to cert-manager on a hub whose engine runs, as in docs/how-to/cert-manager.md',
    async () => {
      expect(RUNNING.length).toBeGreaterThan(3);
      const before = await data('tls.key');
      for (const { command } of RUNNING) await type(command);

      await reported(GIVEN);
      expect(await data('tls.key')).not.toBe(before);
      await client.served(await data('ca.crt'));
      await waitFor('gateway-ca to go', async () => (await client.trusted()) === '');
    },
    5 * MINUTE,
  );
});
