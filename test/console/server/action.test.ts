import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Server } from 'node:http';
import { ManualClock } from '@multicluster-engine/kube-apiserver/testing/clock';
import { actionOutcome, type Action } from '../../../src/answers/actions/action.js';
import type { World } from '../../../src/answers/world/world.js';
import { CLI_FIELD_MANAGER } from '../../../src/api/names.js';
import { cordon, startDrain, uncordon } from '../../../src/cli/commands/maintenance.js';
import { changePause } from '../../../src/cli/commands/pause.js';
import { releaseClusters } from '../../../src/cli/commands/release.js';
import { isWritten, requestOf } from '../../../src/console/server/write.js';
import { createClient } from '../../../src/runtime/client/rest.js';
import { asRecord } from '../../../src/runtime/vocabulary/json.js';
import type { KubeClient } from '../../../src/runtime/client/client.js';
import type { RawObject } from '../../../src/runtime/vocabulary/meta.js';
import type { Call } from '../../../src/runtime/transport/call.js';
import { EXAMPLE_SPEC, exampleClusters, exampleWorld } from '../../support/builders/examplefleet.js';
import { rawPlacement } from '../../support/builders/world.js';
import { heldWorld } from '../../support/fakes/releaseclient.js';
import { MemoryHub, startConsole } from '../../support/rigs/console/hub.js';

/** Actions of the page: what they write is what the commands write, after a plan, with the rights of the person. */

const CLUSTER = 'prod-us-1';
const WEB = { namespace: 'shop', name: 'web' };
const AT = Date.parse('2026-11-22T12:00:00Z');

function maintained(spec: object): RawObject[] {
  return exampleClusters().map((one) => ({
    ...one,
    metadata: { ...one.metadata, uid: `uid of ${one.metadata.name}`, resourceVersion: '1' },
    ...(one.metadata.name === CLUSTER && { spec: { ...asRecord(one.spec), ...spec } }),
  }));
}

function worldWith(spec: object, maintenance: object = {}, resourceVersion = '1'): World {
  const raw = rawPlacement({ ...EXAMPLE_SPEC, ...spec });
  const placements = [
    {
      apiVersion: 'cluster.fleetmgmt.io/v1alpha1',
      kind: 'Placement',
      ...raw,
      metadata: { ...raw.metadata, resourceVersion },
    },
  ];
  return { ...exampleWorld(EXAMPLE_SPEC, { placements, managedclusters: maintained(maintenance) }), at: AT };
}

type Command = (client: KubeClient) => Promise<unknown>;

const WRITES: readonly (readonly [Action['kind'], World, Command])[] = [
  [
    'pause',
    worldWith({}),
    (client) => changePause(client, { command: 'pause', placement: 'web', dryRun: false, namespace: 'shop', now: AT }),
  ],
  [
    'resume',
    worldWith({ paused: true }),
    (client) => changePause(client, { command: 'resume', placement: 'web', dryRun: false, namespace: 'shop', now: AT }),
  ],
  [
    'release',
    { ...heldWorld(), at: AT },
    (client) =>
      releaseClusters(client, {
        placement: 'web',
        clusters: undefined,
        namespace: 'shop',
        now: AT,
        until: AT + 600_000,
      }),
  ],
  ['cordon', worldWith({}), (client) => cordon(client, CLUSTER)],
  ['drain', worldWith({}), (client) => startDrain(client, CLUSTER)],
  ['uncordon', worldWith({}, { maintenance: 'Cordoned' }), (client) => uncordon(client, CLUSTER)],
];

function actionOf(kind: Action['kind']): Action {
  const isOfCluster = ['cordon', 'drain', 'uncordon'].includes(kind);
  return { kind, ...(isOfCluster ? { namespace: '', name: CLUSTER } : WEB) };
}

describe('what an action writes', () => {
  it.each(WRITES)(
    '%s is what the command of this name writes, at the version that was read',
    async (kind, world, run) => {
      const hub = new MemoryHub(world);
      const client: KubeClient = Object.assign(createClient({ call: (call) => hub.answer(call) }), {
        list: hub.client.list,
      });
      await run(client);
      const { write } = actionOutcome(world, actionOf(kind));
      if (write === undefined) throw new Error('nothing is written');
      const mine = requestOf('x', write);
      const [theirs] = hub.sent as [Call];
      expect([mine.method, mine.path, mine.contentType, { ...mine.query, fieldManager: CLI_FIELD_MANAGER }]).toEqual([
        theirs.method,
        theirs.path,
        theirs.contentType,
        theirs.query,
      ]);
      const [own, other] = [mine.body, theirs.body].map((body) => JSON.parse(body ?? ''));
      const { resourceVersion } = write.object.metadata;
      expect(own).toEqual({ ...other, metadata: { ...other.metadata, resourceVersion } });
    },
  );

  it.each([
    ['pause', worldWith({ paused: true }), 'shop/web is paused already'],
    ['resume', worldWith({}), 'shop/web is not paused'],
    ['release', worldWith({}), 'shop/web holds no cluster: nothing to release'],
    ['cordon', worldWith({}, { maintenance: 'Draining' }), 'prod-us-1 is cordoned already'],
    ['uncordon', worldWith({}), 'prod-us-1 is not cordoned'],
  ] as const)('%s writes nothing where it is so already', (kind, world, done) => {
    expect(actionOutcome(world, actionOf(kind))).toMatchObject({ done, write: undefined, after: world });
  });

  it.each([
    [{ kind: 'pause', namespace: 'shop', name: 'wep' }, 'Placement shop/wep was not found; did you mean web?'],
    [{ kind: 'drain', namespace: '', name: 'prod-us-9' }, 'ManagedCluster prod-us-9 was not found'],
  ] as const)('%j names what does not exist', (action, message) => {
    expect(() => actionOutcome(worldWith({}), action)).toThrow(message);
  });

  it('a resume without a disruption budget says that all happens at once', () => {
    const notes = (spec: object): string =>
      actionOutcome(worldWith({ paused: true, ...spec }), actionOf('resume')).notes.join(' ');
    expect(notes({})).toContain('has no disruption budget');
    expect(notes({ disruptionBudget: { maxRemovals: 1 } })).toContain('bounds how much');
  });

  it.each([
    ['create placements.cluster.fleetmgmt.io', true],
    ['update placements.cluster.fleetmgmt.io', true],
    ['patch placements.cluster.fleetmgmt.io', true],
    ['patch managedclusters.cluster.fleetmgmt.io', true],
    ['delete placements.cluster.fleetmgmt.io', false],
    ['update managedclusters.cluster.fleetmgmt.io', false],
    ['patch placements.cluster.fleetmgmt.io/status', false],
    ['patch placementdecisions.cluster.fleetmgmt.io', false],
    ['create managedclustersetbindings.cluster.fleetmgmt.io', false],
    ['patch multiclusterengines.multicluster.platform.io', false],
    ['create secrets', false],
  ])('the console may send %s: %s', (text, may) => {
    const [verb = '', resource = ''] = text.split(' ');
    expect(isWritten({ verb, resource })).toBe(may);
  });
});

describe('an action over the API of the console', () => {
  const clock = new ManualClock();
  const ASSET = { contentType: '', bytes: Buffer.of(), brotli: Buffer.of(), gzip: Buffer.of(), isHashed: false };
  let hub: MemoryHub;
  let server: Server;
  let headers: Record<string, string>;
  let origin: string;

  beforeAll(async () => {
    const started = await startConsole(worldWith({}), { shell: ASSET, find: () => undefined, build: 'b' }, clock);
    ({ hub, server } = started);
    origin = `http://127.0.0.1:${started.port}`;
    headers = { origin, 'content-type': 'application/json' };
    const { key } = (await ask('session', { code: started.sessions.code() })) as unknown as { key: string };
    headers = { ...headers, authorization: `Bearer ${key}` };
  });
  afterAll(() => void server.close());
  beforeEach(() => {
    hub.allows = () => true;
    hub.sent.length = 0;
    hub.written.length = 0;
  });

  async function ask(route: string, body?: object): Promise<Record<string, unknown>> {
    const sent = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
    const answer = (await (await fetch(`${origin}/api/v1/${route}`, { headers, ...sent })).json()) as Record<
      string,
      unknown
    >;
    return asRecord(answer['data'] ?? answer);
  }

  async function setWorld(world: World): Promise<void> {
    hub.world = world;
    await clock.advance(60_000);
  }

  const draft = (kind: string): object => ({ manifests: '', action: { kind, ...WEB } });
  const plan = (kind: Action['kind']): Promise<Record<string, unknown>> =>
    ask('plan', { manifests: '', action: actionOf(kind) });
  const apply = (kind: Action['kind'], basedOn: unknown): Promise<Record<string, unknown>> =>
    ask('apply', { draft: { manifests: '', action: actionOf(kind) }, basedOn, dryRun: false });

  it('is planned, then written once after a dry run, and then there is nothing to do', async () => {
    await setWorld(worldWith({}));
    const { action, basedOn, writes } = await plan('pause');
    expect(action).toMatchObject({
      done: 'shop/web is paused',
      lines: ['3 clusters stay, and none comes in: edge-eu-2, prod-eu-2, prod-us-1'],
      command: ['kubectl', 'mce', 'pause', 'placement', 'web', '-n', 'shop'],
      undo: ['kubectl', 'mce', 'resume', 'placement', 'web', '-n', 'shop'],
    });
    expect([writes, hub.sent]).toEqual([['Placement shop/web'], []]);
    const accepted = { kind: 'accepted', objects: ['Placement shop/web'], done: 'shop/web is paused' };
    expect(await apply('pause', basedOn)).toEqual(accepted);
    expect(hub.written).toEqual(['patch placements.cluster.fleetmgmt.io web']);
    expect(hub.sent[0]).toMatchObject({ attempts: 1, idempotent: false, query: { fieldValidation: 'Strict' } });
    expect(await plan('pause')).toMatchObject({ writes: [], action: { done: 'shop/web is paused already' } });
  });

  it('the end of a pause shows what it moves before it is written', async () => {
    await setWorld(worldWith({ paused: true, numberOfClusters: 1 }));
    expect(await plan('resume')).toMatchObject({
      placements: [{ name: 'web', stay: 1, lists: [{ sign: '−', total: 2 }] }],
    });
  });

  it('what differs since the plan is not written: another spec, other clusters, another version', async () => {
    await setWorld(worldWith({ paused: true }));
    const { basedOn } = await plan('resume');
    hub.world = worldWith({ paused: true, numberOfClusters: 1 }, {}, '2');
    expect(await apply('resume', basedOn)).toEqual({ kind: 'moved' });
    const again = await plan('resume');
    const write = hub.write.bind(hub);
    // Somebody else writes between the reading and the write.
    hub.write = (call) => {
      const [placement] = hub.world.objects.placements;
      if (placement === undefined) throw new Error('there is no Placement');
      const metadata = { ...placement.metadata, resourceVersion: '9' };
      hub.world = { ...hub.world, objects: { ...hub.world.objects, placements: [{ ...placement, metadata }] } };
      return write(call);
    };
    expect(await apply('resume', again['basedOn'])).toEqual({ kind: 'moved' });
    hub.write = write;
    expect(hub.sent).toEqual([]);
  });

  it('a release names the clusters that are held, however long ago it was planned', async () => {
    await setWorld({ ...heldWorld(), at: AT });
    const { basedOn } = await plan('release');
    await clock.advance(300_000);
    const { done } = await apply('release', basedOn);
    // It says until when, by the time of the write.
    const [, until = ''] = /leave until (\S+)$/.exec(String(done)) ?? [];
    expect(hub.sent[0]?.body).toContain(`${until}/`);
    expect(until).not.toBe('');
    expect(hub.sent[0]?.body).toContain('/prod-eu-2,prod-us-1');
  });

  it('the end of a maintenance that others have written too is refused by the dry run', async () => {
    const taints = [{ key: 'cluster.fleetmgmt.io/cordoned', effect: 'NoSelectIfNew' }];
    await setWorld(worldWith({}, { maintenance: 'Cordoned', taints }));
    const { basedOn } = await plan('uncordon');
    expect(await apply('uncordon', basedOn)).toMatchObject({
      kind: 'refused',
      message: expect.stringContaining('stays: others have written it too; kubectl edit mcl prod-us-1 removes it'),
      written: [],
    });
    expect(hub.written).toEqual([]);
  });

  it('who may not patch is told so, and the API server has the last word', async () => {
    await setWorld(worldWith({}));
    const rights = 'rights?namespace=shop&name=web';
    expect(await ask(rights)).toEqual({ patch: true });
    hub.allows = (verb) => verb === 'list';
    expect(await ask(rights)).toEqual({ patch: false });
    const { basedOn } = await plan('pause');
    expect(await apply('pause', basedOn)).toMatchObject({ kind: 'refused', written: [] });
    expect(hub.written).toEqual([]);
  });

  it('an action of another name is an error', async () => {
    expect(await ask('plan', draft('delete'))).toMatchObject({ code: 400, message: 'action: "delete": unknown' });
  });
});
