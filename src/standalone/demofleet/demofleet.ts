import type { KubeObject } from '../../runtime/vocabulary/meta.js';
import { AGENTS_NAMESPACE, DEFAULT_NAMESPACE, STANDALONE_FIELD_MANAGER } from '../../api/names.js';
import { ManagedClusters, ManagedClusterSetBindings, ManagedClusterSets } from '../../api/resources.js';
import { Leases } from '../../runtime/vocabulary/kinds.js';
import { prepareJoin, type JoinHub } from '../../cli/commands/cluster/join.js';
import type { JoinData } from '../../domain/agent/hubtoken.js';
import { delay, whenAborted, within } from '../../runtime/clock.js';
import { errorText } from '../../runtime/errors.js';
import type { Runnable } from '../../runtime/process/lifecycle.js';
import { demoCluster } from './clusters.js';
import { DemoHome, Member, type MemberTools } from './member.js';

interface DemoFleetOptions extends MemberTools {
  /** Number of clusters, one or more. */
  readonly total: number;
  /** The hub as its administrator uses it. */
  readonly hub: JoinHub;
  readonly address: Pick<JoinData, 'hubUrl' | 'hubCa'>;
  readonly print: (line: string) => void;
}

/** The cluster set of the fleet. */
const DEMO_SET = 'demo';
/** Clusters that join at the same time: the API server and the agents of a thousand clusters share one process. */
const JOINING = 4;
/** The next cluster joins after this long even if the one before has not reported. */
const REPORT_TIMEOUT_MS = 30_000;
/** The lifetime of the token that a cluster joins with. */
const JOIN_TOKEN_SECONDS = 3_600;
/** The shortest that the API permits, so that what the hub does about a silent cluster is seen within minutes. */
const LEASE_SECONDS = 10;
/** Nine lease durations: the cluster is unreachable after four, and a toleration of 20 s ends before it is back. */
const OUTAGE_MS = 90_000;
export const OUTAGE_PERIOD_MS = 180_000;
/** Between the end of joining and the first outage. */
const FIRST_OUTAGE_MS = 60_000;
/** Every sixth cluster at most, and at least one, has outages: the brake of the hub taints none when most of a fleet is silent. */
const CLUSTERS_PER_OUTAGE = 6;
/** At most as many clusters have outages as the hub taints in a minute. */
const MAX_OUTAGES = 6;

/** A cluster that is silent again and again. */
interface Outage {
  /** Number of the cluster, from 0 on. */
  readonly cluster: number;
  /** When it is silent for the first time, ms after the end of joining; then once in each {@link OUTAGE_PERIOD_MS}. */
  readonly firstMs: number;
}

/**
 * A fleet of simulated clusters with real agents, in this process.
 *
 * It applies the set `demo`, with a binding in the namespace `default`. Then the clusters join, a few at a time, by the
 * requests of `cluster add` and of the agent. Then some of them fall silent again and again. A cluster that has joined
 * at an earlier start joins as by `cluster add --renew`, since the token of its agent is not kept. What somebody
 * changes on the hub stays: a cluster that is refused does not join, and a line says so.
 */
export class DemoFleet implements Runnable {
  readonly name = 'demo-fleet';
  readonly #options: DemoFleetOptions;
  readonly #members: Member[] = [];

  constructor(options: DemoFleetOptions) {
    this.#options = options;
  }

  /** Runs until `signal` fires; resolves with true. Never rejects: the hub is of use without the fleet, too. */
  async run(signal: AbortSignal): Promise<boolean> {
    const { total, log, print } = this.#options;
    try {
      await this.#applySet(signal);
      print(`demo fleet: ${total} clusters join`);
      const numbers = Array.from({ length: total }, (_, number) => number).values();
      await Promise.all(Array.from({ length: JOINING }, () => this.#joinOneByOne(numbers, signal)));
      print(this.#joinedLine());
      await Promise.all(outagesOf(total).map((outage) => this.#repeatOutage(outage, signal)));
    } catch (error) {
      if (!signal.aborted) {
        log.error({ err: error }, 'the demo fleet failed');
        print(`demo fleet: ${errorText(error)}`);
      }
    }
    await whenAborted(signal);
    await Promise.all(this.#members.map((member) => member.stop()));
    return true;
  }

  async #applySet(signal: AbortSignal): Promise<void> {
    const { client } = this.#options.hub;
    const options = { fieldManager: STANDALONE_FIELD_MANAGER, force: false, signal };
    const set: KubeObject = { metadata: { name: DEMO_SET } };
    await client.apply(ManagedClusterSets, set, options);
    const binding = {
      metadata: { name: DEMO_SET, namespace: DEFAULT_NAMESPACE },
      spec: { clusterSet: DEMO_SET },
    };
    await client.apply<KubeObject>(ManagedClusterSetBindings, binding, options);
  }

  /** Lets the next cluster join as long as there is one; calls that run at the same time share `numbers`. */
  async #joinOneByOne(numbers: Iterator<number>, signal: AbortSignal): Promise<void> {
    for (let next = numbers.next(); next.done !== true; next = numbers.next()) {
      signal.throwIfAborted();
      await this.#join(next.value, signal);
    }
  }

  async #join(number: number, signal: AbortSignal): Promise<void> {
    const { clock, log, print } = this.#options;
    const cluster = demoCluster(number);
    try {
      const member = new Member(cluster.name, new DemoHome(cluster, await this.#joinData(cluster.name)), this.#options);
      this.#members.push(member);
      member.start();
      await within(clock, REPORT_TIMEOUT_MS, member.reported, signal);
      signal.throwIfAborted();
    } catch (error) {
      signal.throwIfAborted();
      log.warn({ cluster: cluster.name, error: errorText(error) }, 'a simulated cluster cannot join');
      print(`demo fleet: ${cluster.name} cannot join: ${errorText(error)}`);
    }
  }

  /** The line after joining. A cluster that has not reported yet may still join. */
  #joinedLine(): string {
    const all = this.#members.length;
    const joined = this.#members.filter(({ hasReported }) => hasReported).length;
    return joined === all
      ? `demo fleet: ${all} clusters have joined`
      : `demo fleet: ${joined} of ${all} clusters have joined, the others have not reported yet`;
  }

  /** What `cluster add` would give to the agent. The Lease shows that the cluster has been added before. */
  async #joinData(name: string): Promise<JoinData> {
    const { hub, address } = this.#options;
    const renew = (await hub.client.get(Leases, { namespace: AGENTS_NAMESPACE, name })) !== undefined;
    if (!renew) {
      const object = { metadata: { name }, spec: { leaseDurationSeconds: LEASE_SECONDS } };
      await hub.client.apply<KubeObject>(ManagedClusters, object, {
        fieldManager: STANDALONE_FIELD_MANAGER,
        force: false,
      });
    }
    const join = await prepareJoin(hub, { name, clusterSet: DEMO_SET, validSeconds: JOIN_TOKEN_SECONDS, renew });
    const { clusterUid, secretUid: joinSecretUid, token: joinToken } = join;
    return { cluster: name, clusterUid, joinToken, joinSecretUid, ...address };
  }

  /** Stops and starts the agent of a cluster until `signal` fires; rejects then with its reason. */
  async #repeatOutage({ cluster, firstMs }: Outage, signal: AbortSignal): Promise<void> {
    const { clock, print } = this.#options;
    const { name } = demoCluster(cluster);
    const member = this.#members.find((one) => one.name === name);
    // It could not join.
    if (member === undefined) return;
    await delay(clock, firstMs, signal);
    for (;;) {
      await member.stop();
      print(`demo fleet: ${name} falls silent for ${OUTAGE_MS / 1000} s`);
      await delay(clock, OUTAGE_MS, signal);
      member.start();
      print(`demo fleet: ${name} is back`);
      await delay(clock, OUTAGE_PERIOD_MS - OUTAGE_MS, signal);
    }
  }
}

/**
 * The clusters of a fleet of `total`, one or more, that have outages: spread over the fleet, and one after the other.
 * There is at least one; that of a fleet of one is not tainted, since all of the fleet is silent.
 */
export function outagesOf(total: number): readonly Outage[] {
  const count = Math.min(MAX_OUTAGES, Math.max(1, Math.floor(total / CLUSTERS_PER_OUTAGE)));
  return Array.from({ length: count }, (_, index) => ({
    cluster: Math.floor(((index + 0.5) * total) / count),
    firstMs: FIRST_OUTAGE_MS + (index * OUTAGE_PERIOD_MS) / count,
  }));
}
