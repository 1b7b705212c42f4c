import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { Connection } from '@multicluster-engine/kube-apiserver/testing/connection';
import { type AnyObject, ApiSession } from '@multicluster-engine/kube-apiserver/testing/controlplane/api';
import { freePorts } from '@multicluster-engine/kube-apiserver';
import { fields, items, keyOf, text, versionOf } from '../../support/scenario/checks/reading.js';
import { Standalone } from '../../support/processes/standalone.js';
import { waitFor } from '@multicluster-engine/kube-apiserver/testing/wait';
import { Follower } from './follower.js';
import { Ledger } from './ledger.js';
import { Pace } from './pace.js';
import { write, type Collection } from './writer.js';

export interface KillOptions {
  readonly rounds: number;
  readonly seed: number;
  /** A round goes on until so many writes were answered in its last second, or so many ms are over. */
  readonly pace?: { readonly perSecond: number; readonly withinMs: number };
}

/** What a number of rounds came to. */
export interface Outcome {
  readonly answered: number;
  /** Writes that were answered in the second before each kill. */
  readonly rates: readonly number[];
  readonly watched: number;
  readonly relisted: number;
}

const MAPS = '/api/v1/configmaps';
const FLEET = '/apis/cluster.fleetmgmt.io/v1alpha1';
const SPACES = ['one', 'two', 'three'];
const WRITERS = 16;
const UP = { deadlineMs: 180_000 };

const COLLECTIONS: readonly Collection[] = [
  ...SPACES.map((namespace) => ({
    name: 'configmaps',
    path: `/api/v1/namespaces/${namespace}/configmaps`,
    namespace,
    type: { apiVersion: 'v1', kind: 'ConfigMap' },
    status: false,
  })),
  {
    name: 'managedclusters',
    path: `${FLEET}/managedclusters`,
    type: { apiVersion: 'cluster.fleetmgmt.io/v1alpha1', kind: 'ManagedCluster' },
    status: true,
  },
];

/**
 * Rounds of kill -9 of a whole `standalone` that many writers write to over HTTPS; after each, a new process has to have
 * all that was answered or shown.
 */
export async function killRounds(options: KillOptions): Promise<Outcome> {
  const folder = await mkdtemp(path.join(tmpdir(), 'standalone-kill-'));
  const campaign = new Campaign(folder, options);
  try {
    for (let round = 0; round < options.rounds; round++) await campaign.round(round);
    await campaign.last();
    return campaign.outcome();
  } finally {
    await campaign.end();
    await rm(folder, { recursive: true, force: true });
  }
}

class Campaign {
  readonly #folder: string;
  readonly #options: KillOptions;
  readonly #ledger = new Ledger();
  readonly #followers = [new Follower(MAPS), new Follower(`${FLEET}/managedclusters`)];
  readonly #rates: number[] = [];
  #ports: readonly number[] = [];
  #standalone: Standalone | undefined;
  /** The token of a ServiceAccount that may write ConfigMaps, valid for the whole campaign. */
  #robot = '';
  #definitions = 0;

  constructor(folder: string, options: KillOptions) {
    this.#folder = folder;
    this.#options = options;
  }

  /** Starts, looks whether all is there, writes until enough was answered, and fast enough, and kills. */
  async round(number: number): Promise<void> {
    // Now and then it is killed while it starts.
    if (number % 5 === 4) await this.#stillborn(number);
    const admin = await this.#start(number);
    const follow = this.#follow();
    await this.#check(admin);
    const writing = (await this.#writers(number)).map((begin) =>
      begin().catch((error: unknown) => void this.#ledger.wrong.push(String(error))),
    );
    this.#rates.push(await this.#enough(400 + ((number * 7919) % 1600)));
    await this.#standalone?.kill();
    await Promise.all([...writing, follow]);
    assert.deepEqual(this.#ledger.wrong, []);
  }

  /** Waits until so many more writes were answered and the pace is what is wanted; gives the pace. */
  async #enough(writes: number): Promise<number> {
    const { perSecond = 0, withinMs = 0 } = this.#options.pace ?? {};
    const wanted = this.#ledger.answered + writes;
    const late = performance.now() + withinMs;
    const pace = new Pace();
    await waitFor(
      'the writes to be answered',
      () => {
        pace.note(this.#ledger.answered);
        const fast = pace.perSecond >= perSecond || performance.now() >= late;
        return (fast && this.#ledger.answered >= wanted) || this.#ledger.wrong.length > 0;
      },
      { deadlineMs: 180_000, everyMs: 5 },
    );
    return pace.perSecond;
  }

  /** After the last kill everything is there, too. */
  async last(): Promise<void> {
    const admin = await this.#start(1);
    const follow = this.#follow();
    await this.#check(admin);
    await this.#standalone?.kill();
    await follow;
  }

  async end(): Promise<void> {
    await this.#standalone?.kill();
  }

  outcome(): Outcome {
    const sum = (count: (one: Follower) => number): number =>
      this.#followers.reduce((total, one) => total + count(one), 0);
    return {
      answered: this.#ledger.answered,
      rates: this.#rates,
      watched: sum((one) => one.events),
      relisted: sum((one) => one.relisted),
    };
  }

  async #launch(): Promise<Standalone> {
    if (this.#ports.length === 0) this.#ports = await freePorts(2);
    const [api = 0, gateway = 0] = this.#ports;
    this.#standalone = await Standalone.launch(this.#folder, [
      `--listen=127.0.0.1:${api}`,
      `--gateway-listen=127.0.0.1:${gateway}`,
    ]);
    return this.#standalone;
  }

  async #stillborn(number: number): Promise<void> {
    const standalone = await this.#launch();
    await sleep((number * 7919) % 2500);
    await standalone.kill();
  }

  async #start(number: number): Promise<ApiSession> {
    const standalone = await this.#launch();
    // Once it answers, or once it has installed what it brings along.
    if (number % 2 === 0) await standalone.line('that it is up', (line) => line.startsWith('Ctrl-C stops it'), UP);
    const admin = await waitFor(
      'an answer',
      async () => {
        const session = this.#session();
        return (await session.call({ path: '/readyz' })).status === 200 ? session : undefined;
      },
      { ...UP, everyMs: 10 },
    );
    if (number === 0) await this.#furnish(admin);
    return admin;
  }

  #session(token = this.#admin()): ApiSession {
    return new ApiSession({ url: this.#url(), caFile: path.join(this.#folder, 'ca.crt'), token });
  }

  #url(): string {
    return `https://127.0.0.1:${this.#ports[0] ?? 0}`;
  }

  #admin(): string {
    return readFileSync(path.join(this.#folder, 'admin.token'), 'utf8').trim();
  }

  async #furnish(admin: ApiSession): Promise<void> {
    const robot = { kind: 'ServiceAccount', name: 'robot', namespace: 'default' };
    const objects: readonly (readonly [string, AnyObject])[] = [
      ...SPACES.map((name) => ['/api/v1/namespaces', { metadata: { name } }] as const),
      ['/api/v1/namespaces/default/serviceaccounts', { metadata: { name: 'robot' } }],
      [
        '/apis/rbac.authorization.k8s.io/v1/clusterroles',
        {
          metadata: { name: 'maps' },
          rules: [
            {
              apiGroups: [''],
              resources: ['configmaps'],
              verbs: ['get', 'list', 'create', 'update', 'patch', 'delete'],
            },
          ],
        },
      ],
      [
        '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings',
        {
          metadata: { name: 'maps' },
          roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'maps' },
          subjects: [robot],
        },
      ],
    ];
    for (const [place, body] of objects)
      assert.equal((await admin.call({ method: 'POST', path: place, body })).status, 201);
    const token = await admin.call({
      method: 'POST',
      path: '/api/v1/namespaces/default/serviceaccounts/robot/token',
      body: { spec: { expirationSeconds: 30 * 24 * 3600 } },
    });
    this.#robot = text(fields(token.body.status)['token']);
    this.#definitions = (await definitions(admin)).length;
  }

  #follow(): Promise<unknown> {
    const end = new AbortController();
    return Promise.all(this.#followers.map((one) => one.follow(this.#session(), end.signal).catch(() => undefined)));
  }

  async #check(admin: ApiSession): Promise<void> {
    const mine = (object: AnyObject): boolean => /^w\d+-/.test(object.metadata?.name ?? '');
    const newest = this.#ledger.newest;
    for (const [index, follower] of this.#followers.entries()) {
      const name = index === 0 ? 'configmaps' : 'managedclusters';
      const { body } = await admin.call({ path: index === 0 ? MAPS : `${FLEET}/managedclusters` });
      const listed = body.items ?? [];
      assert.ok(
        versionOf(body) >= Math.max(newest, follower.revision),
        `${name} are listed at ${versionOf(body)}, after ${newest} and ${follower.revision}`,
      );
      this.#ledger.settle(name, listed, mine);
      assert.deepEqual(this.#ledger.wrong, []);
      await waitFor(`the watch of ${name} to catch up`, (seen) => {
        const wrong = follower.compare(listed);
        seen(wrong);
        return wrong.length === 0;
      });
      assert.deepEqual(follower.wrong, []);
      assert.deepEqual(follower.missing(this.#ledger.answeredUntil(name, follower.revision)), []);
    }
    await this.#rights(admin);
  }

  /** Tokens, rights and definitions are what they were. */
  async #rights(admin: ApiSession): Promise<void> {
    const robot = this.#session(this.#robot);
    const asked = [
      await robot.call({ path: '/api/v1/namespaces/one/configmaps?limit=1' }),
      await robot.call({ path: '/api/v1/namespaces/one/secrets' }),
      await this.#session('guess').call({ path: MAPS }),
      await admin.call({
        method: 'POST',
        path: `${FLEET}/managedclusters`,
        body: {
          apiVersion: 'cluster.fleetmgmt.io/v1alpha1',
          kind: 'ManagedCluster',
          metadata: { name: 'bad' },
          spec: { displayName: 5 },
        },
      }),
    ];
    robot.close();
    assert.deepEqual(
      asked.map(({ status }) => status),
      [200, 403, 401, 422],
    );
    const established = await definitions(admin);
    assert.equal(established.filter((one) => one.endsWith(' True')).length, this.#definitions);
  }

  /** The functions that start the writers. All are connected before, so that a kill finds none while it connects. */
  #writers(number: number): Promise<(() => Promise<void>)[]> {
    const ca = readFileSync(path.join(this.#folder, 'ca.crt'), 'utf8');
    const tokens = [this.#admin(), this.#robot];
    return Promise.all(
      COLLECTIONS.flatMap((collection, index) =>
        Array.from({ length: WRITERS }, async (_, n) => {
          const id = index * WRITERS + n;
          const connection = await Connection.open({
            url: this.#url(),
            ca,
            token: tokens[collection.status ? 0 : n % 2] ?? '',
          });
          const options = {
            connection,
            ledger: this.#ledger,
            collection,
            id: `w${id}`,
            seed: this.#options.seed + number * 1000 + id,
          };
          return () => write(options).finally(() => connection.close());
        }),
      ),
    );
  }
}

/** `NAME True` of each that is established. */
async function definitions(admin: ApiSession): Promise<string[]> {
  const { body } = await admin.call({ path: '/apis/apiextensions.k8s.io/v1/customresourcedefinitions' });
  return (body.items ?? []).map(
    (one) =>
      `${keyOf(one)} ${text(items(fields(one.status)['conditions']).find(({ type }) => type === 'Established')?.['status'])}`,
  );
}
