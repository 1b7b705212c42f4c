import { readFileSync } from 'node:fs';
import type { ClientRequest } from 'node:http';
import { Agent, request } from 'node:https';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';

import type { ResourceType } from '../../../../src/runtime/vocabulary/meta.js';
import { ManagedClusters, PlacementDecisions, Placements } from '../../../../src/api/resources.js';
import type { AnyObject } from '@multicluster-engine/kube-apiserver/testing/controlplane/api';
import { ADMIN } from '@multicluster-engine/kube-apiserver/testing/controlplane/credentials';
import type { ControlPlane } from '@multicluster-engine/kube-apiserver/testing/controlplane/plane';
import { waitFor } from '@multicluster-engine/kube-apiserver/testing/wait';
import type { Kind, Observed } from '../checks/history.js';
import { fields, keyOf, read, text, versionOf } from '../checks/reading.js';
import { pathOf } from '../script/requests.js';

const WATCHED: readonly (readonly [Kind, ResourceType])[] = [
  ['Placement', Placements],
  ['PlacementDecision', PlacementDecisions],
  ['ManagedCluster', ManagedClusters],
];
const RETRY_MS = 100;

/** Raw watches of all kinds that the checker needs, from now on; independent of the product's own client. */
export class Observer {
  readonly #events: Observed[] = [];
  readonly #watches = new Map<Kind, Watch>();
  readonly #server: ControlPlane;

  private constructor(server: ControlPlane, token: string) {
    this.#server = server;
    for (const [kind, type] of WATCHED) {
      this.#watches.set(kind, new Watch({ server, token, kind, type, tell: (event) => this.#events.push(event) }));
    }
  }

  /** Lists everything once and watches on from there. */
  static async start(server: ControlPlane): Promise<Observer> {
    const observer = new Observer(server, await server.tokenFor({ user: ADMIN }));
    const watches = [...observer.#watches.values()];
    for (const watch of watches) watch.start();
    await waitFor('the first lists', () => watches.every((watch) => watch.listed));
    return observer;
  }

  /** What the watches showed; what was stored while another watch hid events is marked as a gap, too. */
  get events(): readonly Observed[] {
    const hidden = [...this.#watches.values()].flatMap((watch) => watch.hidden);
    return this.#events.map((event) =>
      hidden.some(({ after, to }) => event.at > after && event.at <= to) ? { ...event, gap: true } : event,
    );
  }

  /** The stored objects by key, as far as the watch has delivered them. */
  objects(kind: Kind): ReadonlyMap<string, AnyObject> {
    return this.#watches.get(kind)?.objects ?? new Map();
  }

  /** The newest resourceVersion seen on any watch. */
  get newest(): number {
    return Math.max(...[...this.#watches.values()].map((watch) => watch.newest));
  }

  /** Whether a watch was lost in a way that hides events. */
  get gaps(): number {
    return [...this.#watches.values()].reduce((sum, watch) => sum + watch.hidden.length, 0);
  }

  /** Returns when everything stored before this call has been seen: marks one object of each kind and waits for the mark. */
  async catchUp(): Promise<void> {
    for (const [kind, type] of WATCHED) {
      const watch = this.#watches.get(kind);
      const [object] = watch?.objects.values() ?? [];
      if (watch === undefined || object === undefined) continue;
      const { status, body } = await this.#server.call({
        method: 'PATCH',
        path: pathOf(type, object.metadata?.namespace, object.metadata?.name),
        contentType: 'application/merge-patch+json',
        body: { metadata: { annotations: { 'script.test/mark': object.metadata?.resourceVersion ?? '' } } },
      });
      if (status !== 200) throw new Error(`marking ${kind} ${keyOf(object)}: ${status} ${body.message ?? ''}`);
      await waitFor(`the watch of ${kind} to show the mark`, () => watch.newest >= versionOf(body));
    }
  }

  stop(): void {
    for (const watch of this.#watches.values()) watch.stop();
  }
}

interface WatchOptions {
  readonly server: ControlPlane;
  readonly token: string;
  readonly kind: Kind;
  readonly type: ResourceType;
  readonly tell: (event: Observed) => void;
}

class Watch {
  readonly objects = new Map<string, AnyObject>();
  newest = 0;
  /** The ranges of resourceVersions whose events this watch has not shown. */
  readonly hidden: { readonly after: number; readonly to: number }[] = [];
  listed = false;
  readonly #options: WatchOptions;
  readonly #agent: Agent;
  #open: ClientRequest | undefined;
  #stopped = false;
  #lost = true;

  constructor(options: WatchOptions) {
    this.#options = options;
    this.#agent = new Agent({ keepAlive: false, ca: readFileSync(options.server.caFile) });
  }

  start(): void {
    void this.#run();
  }

  stop(): void {
    this.#stopped = true;
    this.#open?.destroy();
    this.#agent.destroy();
  }

  async #run(): Promise<void> {
    while (!this.#stopped) {
      if (this.#lost) await this.#list().catch(() => undefined);
      if (!this.#lost) await this.#watch().catch(() => undefined);
      if (!this.#stopped) await sleep(RETRY_MS);
    }
  }

  async #list(): Promise<void> {
    const { server, type, kind } = this.#options;
    const { status, body } = await server.call({ path: pathOf(type) });
    if (status !== 200) return;
    const at = Number(body.metadata?.resourceVersion ?? 0);
    const gap = this.listed;
    if (gap) this.hidden.push({ after: this.newest, to: at });
    const listed = new Map((body.items ?? []).map((object) => [keyOf(object), object]));
    for (const [key, object] of this.objects) {
      if (!listed.has(key)) this.#note({ at, type: 'DELETED', key, seen: read(kind, object), gap }, object);
    }
    for (const [key, object] of listed) {
      const known = this.objects.get(key);
      if (known !== undefined && versionOf(known) === versionOf(object)) continue;
      this.#note(
        { at: versionOf(object), type: known === undefined ? 'ADDED' : 'MODIFIED', key, seen: read(kind, object), gap },
        object,
      );
    }
    this.newest = at;
    this.listed = true;
    this.#lost = false;
  }

  #watch(): Promise<void> {
    const { server, token, type } = this.#options;
    const query = `watch=true&allowWatchBookmarks=true&resourceVersion=${this.newest}`;
    const headers = { authorization: `Bearer ${token}`, accept: 'application/json' };
    return new Promise((resolve) => {
      const outgoing = request(
        new URL(`${pathOf(type)}?${query}`, server.url),
        { agent: this.#agent, headers },
        (incoming) => {
          // A server that starts answers 429 or 403 for a while: that loses no event.
          if (incoming.statusCode === 410 || incoming.statusCode === 404) this.#lost = true;
          const lines = createInterface({ input: incoming });
          lines.on('line', (line) => this.#line(line));
          lines.on('error', () => resolve());
          incoming.on('error', () => resolve());
          lines.on('close', () => resolve());
        },
      );
      outgoing.on('error', () => resolve());
      outgoing.end();
      this.#open = outgoing;
    });
  }

  #line(line: string): void {
    const event = fields(parse(line));
    const change = text(event['type']);
    if (change === '') return;
    const object: AnyObject = fields(event['object']);
    if (change === 'ERROR') {
      if (fields(object)['code'] === 410) this.#lost = true;
      return;
    }
    const at = versionOf(object);
    this.newest = Math.max(this.newest, at);
    if (change !== 'ADDED' && change !== 'MODIFIED' && change !== 'DELETED') return;
    this.#note({ at, type: change, key: keyOf(object), seen: read(this.#options.kind, object) }, object);
  }

  #note(event: Observed, object: AnyObject): void {
    if (event.type === 'DELETED') this.objects.delete(event.key);
    else this.objects.set(event.key, object);
    this.#options.tell(event);
  }
}

// A line that was cut with its connection is no event; the next watch starts after the last whole one.
function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
