import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { ManualClock } from '@multicluster-engine/kube-apiserver/testing/clock';
import { waitFor } from '@multicluster-engine/kube-apiserver/testing/wait';

import { AGENT_NAMESPACE } from '../../../src/api/names.js';
import { addToArgoCd, argoCdManifest } from '../../../src/cli/commands/cluster/argocd.js';
import type { ResourceType, KubeObject } from '../../../src/runtime/vocabulary/meta.js';
import { ConfigMaps, Nodes, Secrets, ServiceAccounts } from '../../../src/runtime/vocabulary/kinds.js';
import { field, textField } from '../../../src/runtime/vocabulary/json.js';
import { createClient } from '../../../src/runtime/client/rest.js';
import { isFailure } from '../../../src/runtime/errors.js';
import { systemClock } from '../../../src/runtime/clock.js';
import { AgentProcess, HomeRig } from '../../support/rigs/agent/home.js';
import { HubRig } from '../../support/rigs/agent/hub.js';

const MINUTE = 60_000;
const ARGO_CD = 'argocd';
const SECRET = { namespace: ARGO_CD, name: 'cluster-edge-1' };
const ACCESS = { namespaces: ['web', 'shop'], argoCdNamespace: ARGO_CD, context: 'edge-1' };

let hub: HubRig;
let home: HomeRig;
let process: AgentProcess | undefined;

beforeAll(async () => {
  [hub, home] = await Promise.all([HubRig.start(), HomeRig.start()]);
  await hub.server.apply([{ apiVersion: 'v1', kind: 'Namespace', metadata: { name: ARGO_CD } }]);
});
afterEach(async () => {
  await process?.stop();
});
afterAll(() => Promise.all([hub.server.close(), home.server.close()]));

/** What Argo CD reads of the Secret. */
async function config(): Promise<{ readonly bearerToken?: string; readonly tlsClientConfig?: unknown }> {
  const data = field(await hub.server.client.get(Secrets, SECRET), 'data');
  return JSON.parse(Buffer.from(textField(data, 'config'), 'base64').toString());
}

/** What the token that Argo CD has may list in the cluster. */
async function listable(token: string): Promise<string[]> {
  const client = createClient(home.server.transport(token, systemClock));
  const places: readonly (readonly [ResourceType, string | undefined])[] = [
    [ConfigMaps, 'web'],
    [ConfigMaps, 'shop'],
    [Secrets, 'web'],
    [ConfigMaps, 'default'],
    [Secrets, AGENT_NAMESPACE],
    [Nodes, undefined],
  ];
  const found = await Promise.all(
    places.map(async ([type, namespace]) => {
      const name = `${type.plural} ${namespace ?? '-'}`;
      const options = namespace === undefined ? {} : { namespace };
      return client.list<KubeObject>(type, options.namespace).then(
        () => [name],
        (error: unknown) => {
          if (!isFailure(error, 'Forbidden')) throw error;
          return [];
        },
      );
    }),
  );
  return found.flat();
}

describe('an agent that hands over to Argo CD', () => {
  it('Argo CD gets a token for the namespaces alone, a new one in time, and none after the ServiceAccount is gone', async () => {
    const join = await hub.enroll('edge-1');
    const { url: server, ca } = home.server.api;
    await addToArgoCd(hub.server.client, ACCESS, { cluster: 'edge-1', clusterUid: join.clusterUid, server, ca });
    expect((await config()).bearerToken).toBe('');
    await home.join(join);
    await home.server.apply(argoCdManifest(ACCESS));
    const clock = new ManualClock();
    process = new AgentProcess({ transport: await home.transport(clock), clock, argoCdNamespace: ARGO_CD });
    const running = process;
    const handed = async (not: string): Promise<string> =>
      waitFor('a token in the Secret', async (seen) => {
        await running.pass(1_000);
        const { bearerToken = '', tlsClientConfig } = await config();
        seen([bearerToken, running.log.lines]);
        expect(tlsClientConfig).toEqual({ caData: Buffer.from(ca).toString('base64') });
        return bearerToken === not ? undefined : bearerToken;
      });

    const first = await handed('');
    expect(await listable(first)).toEqual(['configmaps web', 'configmaps shop', 'secrets web']);
    const before = (await hub.server.client.get(Secrets, SECRET))?.metadata.resourceVersion;
    await running.pass(25 * MINUTE);
    expect((await hub.server.client.get(Secrets, SECRET))?.metadata.resourceVersion).toBe(before);
    await running.pass(5 * MINUTE);
    expect(await handed(first)).not.toBe(first);
    const asked = (await hub.requestsOf('edge-1')).filter((one) => /^(?!delete).* secrets /.test(one));
    expect(asked).toEqual(['get secrets 200', 'patch secrets 200', 'get secrets 200', 'patch secrets 200']);

    const account = await home.server.client.get(ServiceAccounts, { namespace: AGENT_NAMESPACE, name: 'argo-cd' });
    const { uid = '', resourceVersion = '' } = account?.metadata ?? {};
    const place = { namespace: AGENT_NAMESPACE, name: 'argo-cd' };
    await home.server.client.delete(ServiceAccounts, place, { preconditions: { uid, resourceVersion } });
    await expect(listable(first)).rejects.toThrow(/Unauthorized|401/);
    await waitFor('the report', async (seen) => {
      await running.pass(10 * MINUTE);
      const { conditions = [] } = (await hub.cluster('edge-1'))?.status ?? {};
      const found = conditions.find(({ type }) => type === 'AgentDegraded');
      seen(conditions);
      return found?.reason === 'TokenNotHandedOver' && found.message?.includes('serviceaccounts "argo-cd" not found');
    });
  });
});
