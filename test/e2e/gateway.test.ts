import { afterAll, beforeAll, expect, it } from '@jest/globals';

import {
  DEFAULT_TARGET_NAMESPACE,
  ENGINE_FIELD_MANAGER,
  EXPIRY_ANNOTATION,
  OPERATOR_NAMESPACE,
} from '../../src/api/names.js';
import { version } from '../../src/runtime/process/build.js';
import { CATALOGUE } from '../../src/domain/engine/catalogue.js';
import {
  bundleOf,
  certificateNames,
  keyPairSecret,
  RENEW_BEFORE_MS,
  bundleConfigMap,
  type ServingCertificate,
} from '../../src/domain/engine/steps/certificate.js';
import { apiVersionOf } from '../../src/runtime/vocabulary/kinds.js';
import { issueServingCertificate } from '../../src/runtime/tls/serving.js';
import type { AnyObject } from '@multicluster-engine/kube-apiserver/testing/controlplane/api';
import { describeWithServer } from '@multicluster-engine/kube-apiserver/testing/controlplane/suite';
import { Hub } from '../support/hub/hub.js';
import { kubectlOk } from '@multicluster-engine/kube-apiserver/testing/kubectl';
import { fields, text } from '../support/scenario/checks/reading.js';
import { waitFor } from '@multicluster-engine/kube-apiserver/testing/wait';
import { HubConsole } from './consoleclient.js';
import { GatewayClient, NAMES, SECRET } from './gatewayclient.js';

const MINUTE = 60_000;
const DAY_MS = 24 * 3600 * 1000;
const HUB = {
  capabilities: ['rollouts', 'garbageCollection', 'namespaceDeletion', 'serviceAccounts', 'requestLog'],
} as const;
const NAMESPACE = `/api/v1/namespaces/${DEFAULT_TARGET_NAMESPACE}`;
const DEPLOYMENTS = `/apis/apps/v1/namespaces/${DEFAULT_TARGET_NAMESPACE}/deployments`;
const PLACEMENT = {
  apiVersion: 'cluster.fleetmgmt.io/v1alpha1',
  kind: 'Placement',
  metadata: { name: 'by-console', namespace: 'default' },
  spec: { numberOfClusters: 1 },
};
/** Time until a new certificate is due for renewal: usually the operator starts before. */
const SOON_MS = 20_000;

describeWithServer('the gateway of an engine', { own: true, log: 'RequestResponse', ...HUB }, (server) => {
  let hub: Hub;
  let client: GatewayClient;

  beforeAll(async () => {
    hub = await Hub.open(server());
    await hub.kubectl('apply', '-f', 'examples/engine.yaml');
    await hub.available();
    client = await GatewayClient.open(hub);
  }, 6 * MINUTE);
  afterAll(() => hub.stop(), 3 * MINUTE);

  async function expiry(): Promise<number> {
    return Date.parse((await hub.get(SECRET))?.metadata?.annotations?.[EXPIRY_ANNOTATION] ?? '');
  }

  /** The objects of a component that are there, as `kubectl get -o name` prints them. */
  function leftOf(component: string): Promise<string> {
    const kinds = 'deployments,services,serviceaccounts,poddisruptionbudgets,networkpolicies,secrets,configmaps';
    const of = ['-l', `app.kubernetes.io/component=${component}`];
    return hub.kubectl('get', kinds, '-n', DEFAULT_TARGET_NAMESPACE, ...of, '-o', 'name');
  }

  /**
   * Does what the operator did at a time in the past: publishes and stores a pair of that time, in place of the one
   * that is there. The operator must not run meanwhile. Gives when that pair is due.
   */
  async function storeAsOf(now: number): Promise<number> {
    const {
      metadata: { uid = '' },
    } = await hub.engine('to be there', () => true);
    const component = 'gateway';
    const row = CATALOGUE.find(({ name }) => name === component)?.servingCertificate;
    if (row === undefined) throw new Error('no component asks for a certificate');
    const operatorNamespace = OPERATOR_NAMESPACE;
    const settings = {
      version: version(),
      image: '',
      replicas: 2,
      operatorNamespace,
      omitUserIds: false,
      without: [],
      componentEnvironment: {},
    };
    const one: ServingCertificate = {
      component,
      row,
      namespace: DEFAULT_TARGET_NAMESPACE,
      engine: { name: 'engine', uid },
      settings,
    };
    const pair = await issueServingCertificate({ names: certificateNames(one), now });
    const bundle = bundleOf(pair, [await client.trusted()]);
    for (const { type, object } of [bundleConfigMap(one, bundle), keyPairSecret(one, pair, bundle)]) {
      const input = JSON.stringify({ apiVersion: apiVersionOf(type), kind: type.kind, ...object });
      await kubectlOk(
        ['apply', '--server-side', '--force-conflicts', `--field-manager=${ENGINE_FIELD_MANAGER}`, '-f', '-'],
        { kubeconfig: server().adminKubeconfig, input },
      );
    }
    return pair.notAfter - RENEW_BEFORE_MS;
  }

  it(
    'the gateway of an engine serves TLS for every name of its Service, with a certificate that gateway-ca verifies',
    async () => {
      const ca = await client.trusted();
      await client.served(ca);

      for (const name of NAMES) {
        const { status, body } = await client.list(ca, name);
        expect([status, JSON.parse(body)]).toEqual([
          200,
          expect.objectContaining({ kind: 'PlacementList', items: [] }),
        ]);
      }
      await expect(client.list(ca, 'elsewhere.example')).rejects.toMatchObject({
        code: 'ERR_TLS_CERT_ALTNAME_INVALID',
      });
    },
    3 * MINUTE,
  );

  it(
    'the gateway of an engine gets a new certificate after two thirds of the lifetime: the CA is published first, and no request fails',
    async () => {
      const load = client.load();
      await hub.operator.stop();
      const due = await storeAsOf(Date.now() - 60 * DAY_MS + SOON_MS);
      const before = await client.trusted();
      // Before the start: a slow start may take longer than the certificate is valid.
      const mark = await server().logMark();
      await hub.restartOperator();

      const after = await waitFor(
        'the next certificate',
        async () => {
          const now = await client.trusted();
          return now === before ? undefined : now;
        },
        { deadlineMs: 2 * MINUTE },
      );
      const next = after.replace(/^[^]*(?=-----BEGIN CERTIFICATE-----)/, '');
      await client.served(next);
      await hub.available();
      const answered = load.answered();
      await waitFor('more answers', () => load.answered() > answered);

      expect(await load.stop()).toEqual([]);
      // Clients still trust the previous certificate, and no older one.
      expect(after).toBe(before.slice(before.lastIndexOf('-----BEGIN CERTIFICATE-----')) + next);
      expect(await expiry()).toBeGreaterThan(due + 2 * RENEW_BEFORE_MS);
      const writes = (await hub.writes(mark, /operator$/)).filter(({ name }) => name.startsWith('gateway-'));
      expect(writes.map(({ resource, name, code }) => `${resource} ${name} ${code}`)).toEqual([
        'configmaps gateway-ca 200',
        'secrets gateway-tls 200',
      ]);
      expect(writes.filter(({ receivedAt }) => receivedAt < due)).toEqual([]);
      const events = await waitFor('the event', async () => {
        const output = await hub.kubectl(
          'get',
          'events.events.k8s.io',
          '-A',
          '-o',
          'jsonpath={range .items[*]}{.reason}: {.note}{"\\n"}{end}',
        );
        const renewed = output.split('\n').filter((line) => line.startsWith('CertificateRenewed:'));
        return renewed.length > 0 ? renewed : undefined;
      });
      expect(events).toEqual([
        `CertificateRenewed: Secret ${DEFAULT_TARGET_NAMESPACE}/gateway-tls expires at ${new Date(due + RENEW_BEFORE_MS).toISOString().replace('.000', '')}; a new certificate was issued`,
      ]);
    },
    10 * MINUTE,
  );

  it('the gateway of an engine stores its private key only in the Secret, and the operator never reads it', async () => {
    const key = text(fields((await hub.get(SECRET))?.['data'])['tls.key']);
    const lines = Buffer.from(key, 'base64')
      .toString()
      .split('\n')
      .filter((line) => line.length > 40 && !line.startsWith('---'));
    expect(lines.length).toBeGreaterThan(0);

    for (const secret of [key, ...lines]) expect(hub.operator.log() + client.pod.log()).not.toContain(secret);
    const answered = async (user: RegExp): Promise<readonly AnyObject[]> => {
      const log = await server().requestLog({ user, resources: ['secrets'] });
      return log.map(({ responseObject }) => responseObject).filter((one) => one !== undefined);
    };
    // The operator may or may not request the Secret before it exists and get a Status.
    const objects = (await answered(/operator$/)).filter(({ kind }) => kind !== 'Status');
    expect(objects.length).toBeGreaterThan(0);
    expect(objects.filter((one) => JSON.stringify(one).includes('"data"'))).toEqual([]);
    expect(new Set(objects.map(({ kind }) => kind))).toEqual(
      new Set(['PartialObjectMetadata', 'PartialObjectMetadataList']),
    );
    // The request log would show a read: it shows that of this test.
    expect((await answered(/./)).some((one) => JSON.stringify(one).includes(key))).toBe(true);
  });

  it(
    'an engine runs no console until its spec says so; then it reads and writes with the tokens of persons alone',
    async () => {
      expect(await hub.get(`${DEPLOYMENTS}/console`)).toBeUndefined();
      await hub.patchEngine({ spec: { components: [{ name: 'console', enabled: true }] } });
      const console = await HubConsole.open(hub);
      await hub.available();

      const token = await server().tokenFor({ serviceAccount: { namespace: 'default', name: 'default' } });
      await hub.kubectl('create', 'rolebinding', 'writer', '--clusterrole=admin', '--serviceaccount=default:default');
      expect(await console.everybody('/')).toBe(200);
      expect([await console.read('fleet'), await console.logIn('wrong'), await console.logIn(token)]).toEqual([
        401, 401, 200,
      ]);
      expect(await console.read('fleet')).toMatchObject({ total: 0 });
      expect(await console.read('fleet', undefined, { 'sec-fetch-site': 'cross-site' })).toBe(403);

      const draft = { manifests: JSON.stringify(PLACEMENT) };
      const { basedOn } = (await console.read('plan', draft)) as { basedOn: string };
      const mark = await server().logMark();
      expect(await console.read('apply', { draft, basedOn, dryRun: false })).toMatchObject({ kind: 'accepted' });
      const written = await server().requestLog({ after: mark, verbs: ['create'], resources: ['placements'] });
      expect(written.map(({ user, code }) => [user, code])).toEqual([
        ['system:serviceaccount:default:default', 201],
        ['system:serviceaccount:default:default', 201],
      ]);
      expect(await server().requestLog({ user: console.pod.user })).toEqual([]);

      await hub.kubectl('delete', 'clusterrolebinding', 'reader');
      await waitFor('the right to be gone', async () =>
        JSON.stringify(await console.withheld('fleet')).includes('"resource":"managedclusters"'),
      );
      expect(console.seen + console.pod.log()).not.toContain(token);
    },
    5 * MINUTE,
  );

  it(
    'a console that is turned off leaves nothing, and neither does an engine that is deleted while it has one',
    async () => {
      const [pod] = hub.components.pods(DEFAULT_TARGET_NAMESPACE, 'console');
      await hub.patchEngine({ spec: { components: [] } });
      await waitFor('the console to go', async (seen) => {
        const left = await leftOf('console');
        seen(left);
        return left === '' && pod?.exit() !== undefined;
      });
      await hub.available();
      expect(await leftOf('gateway')).toContain('secret/gateway-tls');

      await hub.patchEngine({ spec: { components: [{ name: 'console', enabled: true }] } });
      await HubConsole.open(hub);
      await hub.kubectl('delete', 'mce', 'engine', '--timeout=120s');
      await waitFor('the namespace to go', async () => (await hub.get(NAMESPACE)) === undefined);
    },
    5 * MINUTE,
  );
});
