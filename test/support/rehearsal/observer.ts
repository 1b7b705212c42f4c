import type { ControlPlane } from '@multicluster-engine/kube-apiserver/testing/controlplane/plane';
import { AGENTS_NAMESPACE, OPERATOR_NAMESPACE } from '../../../src/api/names.js';
import { fields, number, text } from '../scenario/checks/reading.js';

/** What the Leases of a hub showed from the start of the observation. */
export interface LeaseFigures {
  /** The longest time without a leader, in ms, by Lease; 0 where one process held it all the time. */
  readonly withoutLeader: Readonly<Record<string, number>>;
  /** How often the leader changed, by Lease. */
  readonly changes: Readonly<Record<string, number>>;
  /** The longest time between two renewals of an agent, in ms, by cluster. */
  readonly silence: Readonly<Record<string, number>>;
  /** Renewals of all agents. */
  readonly renewals: number;
  /** Those that came later than the duration of the Lease after the one before. */
  readonly late: number;
}

interface Seen {
  holder: string;
  at: number;
  freeSince: number | undefined;
  longest: number;
  changes: number;
  renewals: number;
  late: number;
}

/** Watches the Leases of the controllers and of the agents, until {@link end}. */
export class LeaseObserver {
  readonly #end = new AbortController();
  readonly #watches: Promise<void>[];
  readonly #leaders = new Map<string, Seen>();
  readonly #agents = new Map<string, Seen>();

  constructor(server: ControlPlane) {
    const watch = (namespace: string, into: Map<string, Seen>): Promise<void> =>
      server.stream(
        `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases?watch=true`,
        (line) => see(into, fields(fields(JSON.parse(line))['object'])),
        this.#end.signal,
      );
    this.#watches = [watch(OPERATOR_NAMESPACE, this.#leaders), watch(AGENTS_NAMESPACE, this.#agents)];
  }

  /** Ends the observation. Rejects where a watch broke: then not everything was seen. */
  async end(): Promise<LeaseFigures> {
    this.#end.abort();
    await Promise.all(this.#watches);
    const now = performance.now();
    const silence = new Map([...this.#agents].map(([name, one]) => [name, Math.max(one.longest, now - one.at)]));
    const gap = ({ longest, freeSince }: Seen): number => (freeSince === undefined ? longest : now - freeSince);
    return {
      withoutLeader: Object.fromEntries([...this.#leaders].map(([name, one]) => [name, gap(one)])),
      changes: Object.fromEntries([...this.#leaders].map(([name, { changes }]) => [name, changes])),
      silence: Object.fromEntries(silence),
      renewals: [...this.#agents.values()].reduce((sum, { renewals }) => sum + renewals, 0),
      late: [...this.#agents.values()].reduce((sum, { late }) => sum + late, 0),
    };
  }
}

/**
 * Takes over an event of a Lease. A leader that ends gives its Lease back, so that the Lease has no holder until the next one
 * takes it; of a leader that was killed, the time counts from its last renewal. An agent's every write is a renewal.
 */
function see(into: Map<string, Seen>, lease: Record<string, unknown>): void {
  const name = text(fields(lease['metadata'])['name']);
  const spec = fields(lease['spec']);
  const held = spec['holderIdentity'];
  const holder = typeof held === 'string' ? held : '';
  const at = performance.now();
  const seen = into.get(name);
  if (seen === undefined) {
    into.set(name, { holder, at, freeSince: undefined, longest: 0, changes: 0, renewals: 0, late: 0 });
    return;
  }
  const isAgents = text(fields(lease['metadata'])['namespace']) === AGENTS_NAMESPACE;
  if (isAgents) {
    seen.longest = Math.max(seen.longest, at - seen.at);
    if (at - seen.at > 1000 * number(spec['leaseDurationSeconds'], Infinity)) seen.late += 1;
  } else if (holder === '') seen.freeSince ??= at;
  else if (holder !== seen.holder) {
    seen.longest = Math.max(seen.longest, at - (seen.freeSince ?? seen.at));
    seen.freeSince = undefined;
    seen.changes += 1;
  }
  Object.assign(seen, { holder, at, renewals: seen.renewals + 1 });
}
