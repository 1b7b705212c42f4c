import { request } from 'node:https';

import { afterAll, beforeAll, expect, it } from '@jest/globals';

import { DEFAULT_TARGET_NAMESPACE, EXPIRY_ANNOTATION } from '../../src/api/names.js';
import { describeWithServer } from '../support/controlplane/suite.js';
import { Hub } from '../support/hub/hub.js';
import type { Pod } from '../support/hub/pod.js';
import { fields, text } from '../support/scenario/reading.js';
import { waitFor } from '../support/wait.js';

const MINUTE = 60_000;
const TARGET = DEFAULT_TARGET_NAMESPACE;
const SECRET = `/api/v1/namespaces/${TARGET}/secrets/gateway-tls`;
const TRUST = `/api/v1/namespaces/${TARGET}/configmaps/gateway-ca`;
const PLACEMENTS = '/platform/cluster.fleetmgmt.io/v1alpha1/namespaces/default/placements';
const NAMES = ['gateway', `gateway.${TARGET}`, `gateway.${TARGET}.svc`, `gateway.${TARGET}.svc.cluster.local`];

interface Call {
  readonly address: string;
  readonly ca: string;
  readonly token: string;
  readonly servername: string;
}

interface Reply {
  readonly status: number;
  readonly body: string;
}

/** GET of the placements on a connection of its own, its certificate checked for `servername` against `ca` alone. */
function ask({ address, ca, token, servername }: Call): Promise<Reply> {
  const [host = '', port = ''] = address.split(':');
  return new Promise((resolve, reject) => {
    const headers = { host: servername, authorization: `Bearer ${token}` };
    const sent = request({ host, port: Number(port), path: PLACEMENTS, headers, ca, servername, agent: false, timeout: 10_000 }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, body: Buffer.concat(chunks).toString() }));
    });
    sent.on('error', reject);
    sent.end();
  });
}

const PODS = { capabilities: ['pods', 'garbageCollection', 'namespaceDeletion', 'serviceAccounts', 'requestLog'] } as const;

describeWithServer('the gateway of an engine', { own: true, ...PODS }, (server) => {
  let hub: Hub;
  let pod: Pod;
  let token: string;

  beforeAll(async () => {
    hub = await Hub.open(server());
    await hub.kubectl('apply', '-f', 'examples/engine.yaml');
    await hub.available();
    pod = await waitFor('the gateway to run', () => hub.components.pods(TARGET, 'gateway')[0], { deadlineMs: MINUTE });
    await pod.ready({ deadlineMs: MINUTE });
    token = await server().tokenFor({ serviceAccount: { namespace: 'default', name: 'default' } });
    await hub.kubectl('create', 'clusterrolebinding', 'reader', '--clusterrole=view', '--serviceaccount=default:default');
  }, 3 * MINUTE);
  afterAll(() => hub.stop(), MINUTE);

  async function trusted(): Promise<string> {
    return text(fields((await hub.get(TRUST))?.['data'])['ca.crt']);
  }

  async function call(ca: string, servername = NAMES[2] ?? ''): Promise<Reply> {
    return ask({ address: pod.addresses['MULTICLUSTER_ENGINE_LISTEN'] ?? '', ca, token, servername });
  }

  it('answers on TLS under every name of its Service, with the certificate that gateway-ca publishes', async () => {
    const ca = await trusted();
    await waitFor('the right of the reader', async () => (await call(ca)).status === 200);

    for (const name of NAMES) {
      const { status, body } = await call(ca, name);
      expect([status, JSON.parse(body)]).toEqual([200, expect.objectContaining({ kind: 'PlacementList', items: [] })]);
    }
    await expect(call(ca, 'elsewhere.example')).rejects.toMatchObject({ code: 'ERR_TLS_CERT_ALTNAME_INVALID' });
  }, MINUTE);

  it('is renewed while it runs: what is trusted says so first, and no request fails', async () => {
    const before = await trusted();
    const mark = await server().logMark();
    const failures: string[] = [];
    let going = true;
    const load = (async () => {
      while (going) {
        // As a client does that reads the ConfigMap again now and then.
        const { status } = await call(await trusted()).catch((error: unknown) => ({ status: String(error) }));
        if (status !== 200) failures.push(String(status));
      }
    })();
    // Somebody has a hand in it: whatever stands there now, a certificate that is booked to us takes its place.
    await hub.patch(SECRET, { metadata: { annotations: { [EXPIRY_ANNOTATION]: '2020-01-01T00:00:00Z' } } });
    const after = await waitFor('the next certificate', async () => {
      const now = await trusted();
      return now === before ? undefined : now;
    });
    const next = after.slice(before.length);
    await waitFor('the gateway to serve it', async (seen) => {
      const reply = await call(next).catch((error: unknown) => String(error));
      seen(reply);
      return typeof reply !== 'string' && reply.status === 200;
    }, { deadlineMs: MINUTE });
    going = false;
    await load;

    expect(after.startsWith(before)).toBe(true);
    expect(failures).toEqual([]);
    expect((await hub.writes(mark, /operator$/)).map(({ resource, name }) => `${resource} ${name}`).filter((one) => one.includes('gateway-')))
      .toEqual(['configmaps gateway-ca', 'secrets gateway-tls']);
    await hub.available();
  }, 2 * MINUTE);

  it('leaves its key nowhere but in the Secret', async () => {
    const key = text(fields((await hub.get(SECRET))?.['data'])['tls.key']);
    const lines = Buffer.from(key, 'base64').toString().split('\n').filter((line) => line.length > 40 && !line.startsWith('---'));
    expect(lines.length).toBeGreaterThan(0);

    for (const secret of [key, ...lines]) expect(hub.operator.log() + pod.log()).not.toContain(secret);
  });
});
