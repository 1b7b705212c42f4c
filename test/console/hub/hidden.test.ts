import { request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from '@jest/globals';
import { ManualClock } from '@multicluster-engine/kube-apiserver/testing/clock';
import { WORLD_RESOURCES, type World } from '../../../src/answers/world/world.js';
import { NAMESPACE_HEADER } from '../../../src/console/wire/answer.js';
import type { PlanAnswer } from '../../../src/console/wire/plan.js';
import { ROUTES, routeOf } from '../../../src/console/server/routes.js';
import { EXAMPLE_SPEC, exampleWorld } from '../../support/builders/examplefleet.js';
import { rawEngine } from '../../support/builders/hubinput.js';
import { rawBinding, rawCluster, rawDecision, rawPlacement, rawSet } from '../../support/builders/world.js';
import { CANARY, HOST, startTokenConsole, type MemoryApi } from '../../support/rigs/console/tokens.js';
import { consoleEvents } from '../../support/rigs/console/worlds.js';

/**
 * What a person may not list makes no difference to any answer: ben gets the same bytes from two hubs that differ in nothing else,
 * for every route, and after anna, who may list everything, has got hers.
 */

interface Question {
  readonly path: string;
  readonly body?: object;
}

const KIND = 'apiVersion: cluster.fleetmgmt.io/v1alpha1\nkind: Placement\n';
const EDIT = `${KIND}metadata: {name: web, namespace: shop}\nspec: {numberOfClusters: 1}\n`;
const NEW = `${KIND}metadata: {name: hidden, namespace: shop}\nspec: {}\n`;
const EMPTY = { manifests: '', labels: [], drains: [], losses: [], each: [] };
const DRAFTS: readonly object[] = [
  { ...EMPTY, manifests: EDIT },
  { ...EMPTY, manifests: NEW },
  { ...EMPTY, labels: ['hidden-1:tier=gold'] },
  { ...EMPTY, drains: ['prod-us-1'] },
  { ...EMPTY, losses: ['label/tier=gold'] },
  { ...EMPTY, losses: ['mclset/hidden'] },
  { ...EMPTY, each: ['label/tier'] },
  { ...EMPTY, action: { kind: 'pause', namespace: 'shop', name: 'web' } },
  { ...EMPTY, action: { kind: 'drain', namespace: '', name: 'hidden-1' } },
];
/** `hidden-1`, `hidden` and `other/secret` are on the second hub alone. */
const QUESTIONS: readonly Question[] = [
  ...[
    'fleet',
    'fleet?q=label:tier=gold&sort=placements-desc',
    'fleet?q=health:noAgent',
    'fleet?q=set:hidden',
    'fleet/map?group=label:tier',
    'fleet/map?color=placement:shop/web',
    'fleet/map?color=score:other/secret',
    'fleet/map?color=version',
    'fleet/keys',
    'find?q=',
    'find?q=hid',
    'find?q=secret',
    'find?q=why+hidden-1+secret',
    'find?q=lose+gold',
    'find?q=set:hidden',
    'find?q=drain+hid',
    'engine',
    'sets/hidden',
    'sets/production',
    'placements',
    'placements?q=secret',
    'placements/shop/web',
    'placements/other/secret',
    'placements/shop/web/matrix?show=all',
    'placements/other/secret/matrix',
    'placements/shop/web/why/hidden-1',
    'placements/other/secret/why/prod-us-1',
    'clusters/hidden-1',
    'clusters/prod-us-1',
    'yaml/managedclusters/hidden-1',
    'yaml/managedclustersets/hidden',
    'yaml/multiclusterengines/multiclusterengine',
    'yaml/placements/other/secret',
    'yaml/placementdecisions/shop/web-decision-1',
    'yaml/managedclustersetbindings/other/hidden',
    'reading',
    'events',
    'events?about=Placement/other/secret&q=added',
    'rights?namespace=other&name=secret',
    'nothing',
  ].map((path) => ({ path })),
  ...DRAFTS.map((body) => ({ path: 'plan', body })),
  { path: 'apply', body: { draft: DRAFTS[0], basedOn: '', dryRun: true } },
];

function within(namespace: string, events: MemoryApi['events']): MemoryApi['events'] {
  return events.map((one) => ({ ...one, metadata: { ...one.metadata, namespace } }));
}

const known = exampleWorld(EXAMPLE_SPEC).objects;
const secret = rawPlacement(EXAMPLE_SPEC, 'secret');
const otherSecret = { ...secret, metadata: { ...secret.metadata, namespace: 'other', uid: 'secret' } };
const decided = rawDecision(1, ['hidden-1', 'prod-us-1']);
const secretDecision = { ...decided, metadata: { ...decided.metadata, namespace: 'other', name: 'secret-decision-1' } };
/** What is hidden, of each kind. */
const HIDDEN: World['objects'] = {
  managedclusters: [
    rawCluster('hidden-1', { set: 'hidden', labels: { tier: 'gold', hidden: 'yes' }, claims: { version: 'v1.99' } }),
  ],
  managedclustersets: [rawSet('hidden'), rawSet('production')],
  multiclusterengines: [rawEngine({}, { phase: 'Degraded' })],
  placements: [...known.placements, otherSecret],
  placementdecisions: [...known.placementdecisions, secretDecision],
  managedclustersetbindings: [...known.managedclustersetbindings, rawBinding('hidden', { namespace: 'other' })],
};

interface Hidden {
  readonly what: string;
  /** As for {@link MemoryApi.refuses}. */
  readonly refuses: readonly string[];
  readonly objects: Partial<World['objects']>;
  readonly events: MemoryApi['events'];
}

const NAMESPACED = ['placements', 'placementdecisions', 'managedclustersetbindings'] as const;
const CASES: readonly Hidden[] = [
  {
    what: 'all but the Placements, decisions, bindings and events of one namespace',
    refuses: WORLD_RESOURCES.map((one) => (NAMESPACED.some((other) => other === one) ? `all ${one}` : one)).concat(
      'all events',
    ),
    objects: HIDDEN,
    events: within('other', consoleEvents('added 1 cluster: hidden-1')),
  },
  ...WORLD_RESOURCES.map((one): Hidden => {
    const objects = one === 'placementdecisions' ? [rawDecision(1, ['prod-ap-1'])] : HIDDEN[one];
    return { what: one, refuses: [one], objects: { [one]: objects }, events: [] };
  }),
  { what: 'events', refuses: ['events'], objects: {}, events: consoleEvents('added 1 cluster: hidden-1') },
];

const PAGE = Buffer.from('page');
const ASSET = { contentType: 'text/html', bytes: PAGE, brotli: PAGE, gzip: PAGE, isHashed: false };
const ASSETS = { shell: ASSET, find: () => undefined, build: 'b' };

type Asks = (token: string, question: Question) => Promise<readonly unknown[]>;

/** Starts a console on a hub with these objects besides those of the example. */
async function onHub<T>(
  { refuses, objects, events }: Omit<Hidden, 'what'>,
  work: (asks: Asks, pass: () => Promise<void>) => Promise<T>,
): Promise<T> {
  const clock = new ManualClock();
  const { api, people, server } = await startTokenConsole(ASSETS, clock);
  api.world = exampleWorld(EXAMPLE_SPEC, objects);
  api.events = events;
  for (const one of refuses) api.refuses.add(`ben ${one}`);
  const { port } = server.address() as AddressInfo;
  const asks: Asks = (token, { path, body }) =>
    new Promise((resolve, reject) => {
      const headers = {
        host: HOST,
        authorization: `Bearer ${token}`,
        [NAMESPACE_HEADER]: 'shop',
        ...(body && { 'content-type': 'application/json' }),
      };
      const method = body === undefined ? 'GET' : 'POST';
      const sent = request({ host: '127.0.0.1', port, path: `/api/v1/${path}`, method, headers }, (response) => {
        let text = '';
        response.on('data', (chunk: Buffer) => (text += chunk.toString()));
        response.on('end', () => resolve([response.statusCode, text, response.headers.etag]));
      });
      sent.on('error', reject);
      sent.end(body && JSON.stringify(body));
    });
  try {
    return await work(asks, () => clock.advance(100));
  } finally {
    people.close();
    server.closeAllConnections();
    server.close();
  }
}

/** All that ben is answered, each time after anna has asked the same. */
function answersOn(hub: Omit<Hidden, 'what'>, questions = QUESTIONS): Promise<readonly unknown[]> {
  return onHub(hub, async (asks, pass) => {
    const answers: unknown[] = [await asks('ben', { path: 'session' })];
    const isLimited = hub.refuses.some((one) => one !== 'events');
    for (const question of questions) {
      const [, text] = await asks(CANARY, question);
      const { data } = JSON.parse(String(text)) as { readonly data?: PlanAnswer };
      // What she has planned is not for him.
      if (isLimited && question.path === 'plan' && data !== undefined && !('fault' in data))
        expect((await asks('ben', { path: `plan/${data.basedOn}/map` }))[0]).toBe(404);
      answers.push([question, ...(await asks('ben', question))]);
      // As many as a person may ask.
      await pass();
    }
    return answers;
  });
}

const NOTHING = { refuses: [], objects: {}, events: [] };
let plain: Promise<readonly unknown[]> | undefined;

it.each(CASES.map((one) => [one.what, one] as const))(
  'who may not list %s gets the same bytes whatever there is of it',
  async (_what, { refuses, objects, events }) => {
    const shown = await answersOn({ ...NOTHING, refuses });
    expect(await answersOn({ refuses, objects, events })).toEqual(shown);
    // Who may list it is shown the difference.
    const reads = QUESTIONS.filter(({ body }) => body === undefined);
    plain ??= answersOn(NOTHING, reads);
    expect(await answersOn({ ...NOTHING, objects, events }, reads)).not.toEqual(await plain);
  },
);

it('every route is asked', () => {
  const asked = QUESTIONS.flatMap(({ path, body }) => {
    const [segments = ''] = path.split('?');
    return routeOf(body === undefined ? 'GET' : 'POST', segments.split('/'))?.route ?? [];
  });
  const isOfPlan = ({ path }: (typeof ROUTES)[number]): boolean => path[0] === 'plan' && path.length > 1;
  expect(ROUTES.filter((one) => !asked.includes(one) && !isOfPlan(one))).toEqual([]);
});
