import { Dice } from '@multicluster-engine/kube-apiserver/testing/random';

import { Agent } from '../../../src/agent/agent.js';
import { errorFromResponse } from '../../../src/runtime/transport/apierror.js';
import { ApiHome, type Home } from '../../../src/agent/home.js';
import { TransportHub, type Hub } from '../../../src/agent/hub.js';
import { AGENT_TOKEN_SECRET, AGENTS_NAMESPACE } from '../../../src/api/names.js';
import { readHubToken, type JoinData } from '../../../src/domain/agent/hubtoken.js';
import type { Call } from '../../../src/runtime/transport/call.js';
import { field } from '../../../src/runtime/vocabulary/json.js';
import { namespaceOf, readMachine, userOf, type Machine } from './machine.js';
import type { Process, ProcessOptions } from './process.js';
import { loggerOf } from './processlog.js';
import { NO_METRICS } from './program.js';
import type { SentRequest } from './request.js';
import type { EventStream } from './stream.js';
import { ProcessClock } from './time.js';
import { createWire, type Connection } from './wire.js';

interface AgentProgramOptions extends ProcessOptions {
  /** The name of the machine. */
  readonly home: string;
  readonly violate: (rule: string, detail: string) => void;
}

/** The flags' default. */
const TOKEN_LIFETIME_SECONDS = 604_800;
/** As for a connection to a hub over HTTPS. */
const HUB_DEADLINE_MS = 10_000;
/** Time synchronization sets a wrong clock right. */
const CLOCK_CORRECTED_AFTER_MS = 60_000;

/** What an agent does once, on the way to a state. */
const STEPS: ReadonlySet<string> = new Set([
  'requestToken',
  'createLease',
  'takeLease',
  'applyStatus',
  'deleteJoinSecret',
  'storeToken',
]);

/**
 * The agent of a managed cluster in the simulation: it runs while its machine says so. Its requests to the hub carry its token,
 * which the server checks; those to its own cluster have the rights of the manifest.
 *
 * Checks that
 * - a token is used only once it was stored, or after an attempt to store it has failed (`token`);
 * - a process does not renew a Lease that another cluster holds (`lost lease`).
 */
export class AgentProgram implements Process {
  readonly name: string;
  readonly isPeriodic = true;
  readonly passes = new Map<string, number>();
  activeAt = 0;
  readonly #options: AgentProgramOptions;
  readonly #namespace: string;
  readonly #subscriptions: { end(): void }[] = [];
  /** Every token that the Secret of this machine has had. */
  readonly #stored = new Set<string>();
  #clock: ProcessClock | undefined;
  #open = new Set<SentRequest | EventStream>();
  #aheadMs = 0;
  #starts = 0;
  /** Whether reading or writing the Secret has failed since the last token was granted. */
  #hasStoreFailed = false;

  constructor(options: AgentProgramOptions) {
    this.#options = options;
    this.name = `agent-${options.home}`;
    this.#namespace = namespaceOf(options.home);
  }

  start(): void {
    const { server, simulation } = this.#options;
    const secret = `${this.#namespace}/${AGENT_TOKEN_SECRET}`;
    this.#remember(server.store.get('secrets', secret)?.object);
    this.#subscriptions.push(
      server.observe('secrets', ({ entry }) => {
        if (entry.key === secret) this.#remember(entry.object);
      }),
      server.observe('namespaces', ({ entry }) => {
        if (entry.key === this.#namespace) simulation.post(() => this.#adapt());
      }),
    );
    this.#adapt();
  }

  kill(): void {
    for (const one of this.#subscriptions.splice(0)) one.end();
    this.#end();
  }

  crash(ms: number): void {
    this.#end();
    this.#options.simulation.after(ms, () => this.#adapt());
  }

  stop(ms: number): void {
    this.#clock?.stop(ms);
  }

  get isCurrent(): boolean {
    if (!this.#machine.runs) return true;
    if (this.#clock?.dead !== false) return false;
    const open = [...this.#open];
    return open.length > 0 && open.every((one) => 'pump' in one && one.isCurrent);
  }

  get #machine(): Machine {
    return readMachine(this.#options.server.store.get('namespaces', this.#namespace)?.object);
  }

  #adapt(): void {
    const { runs, aheadMs } = this.#machine;
    const isRunning = this.#clock?.dead === false;
    if (!runs) this.#end();
    else if (this.#clock === undefined || (!isRunning && this.#subscriptions.length > 0)) this.#boot();
    if (this.#clock !== undefined) this.#clock.aheadMs += aheadMs - this.#aheadMs;
    this.#aheadMs = aheadMs;
  }

  #boot(): void {
    const { simulation, seed, home, over } = this.#options;
    const clock = new ProcessClock(simulation);
    this.#clock = clock;
    this.#open = new Set();
    this.#starts += 1;
    this.#aheadMs = 0;
    const dice = new Dice(
      seed * 31 + this.#starts * 7 + home.split('').reduce((sum, one) => sum + one.charCodeAt(0), 0),
    );
    const tools = { clock, random: () => dice.next(), log: loggerOf(this.name, this.#options) };
    const delayMs = ({ target }: Call): number => (target.resource === 'secrets' ? this.#machine.secretDelayMs : 0);
    const connection = { ...this.#options, ...this.#connection(clock), user: userOf(home), delayMs };
    const wire = createWire(connection, { ...tools, userAgent: USER_AGENT });
    const options = { transport: wire, namespace: this.#namespace, apiEndpoint: undefined, tools };
    const agent = new Agent({
      home: around<Home>(
        new MachineHome(
          options,
          () => this.#id,
          () => this.#machine.isUnhealthy,
        ),
        (name, call) => this.#ofHome(name, call),
      ),
      openHub: (join, token) => this.#openHub(join, token, tools),
      tools: { ...tools, metrics: NO_METRICS },
      tokenLifetimeSeconds: TOKEN_LIFETIME_SECONDS,
    });
    void agent.run(over);
  }

  #connection(clock: ProcessClock): Omit<Connection, 'user'> {
    const { simulation, server, injector } = this.#options;
    const crash = (ms: number): void => {
      if (!clock.dead) this.crash(ms);
    };
    const clockCorrectedAfterMs = CLOCK_CORRECTED_AFTER_MS;
    return { simulation, server, injector, clock, crash, process: this.name, open: this.#open, clockCorrectedAfterMs };
  }

  #openHub(join: JoinData, token: () => string, tools: Tools): Hub {
    const isCut = (): boolean => this.#machine.isCut;
    const connection = { ...this.#connection(tools.clock), user: undefined, isCut };
    const load = async () => ({
      server: join.hubUrl,
      headers: { Authorization: `Bearer ${this.#used(token(), join)}` },
      tls: { rejectUnauthorized: true },
    });
    const options = { ...tools, userAgent: USER_AGENT, connections: 2, deadlineMs: HUB_DEADLINE_MS };
    const hub = new TransportHub(createWire(connection, options, { load }), join, tools.clock);
    return around<Hub>(hub, (name, call) => this.#ofHub(join.cluster, name, call));
  }

  async #ofHub(cluster: string, name: string, call: () => unknown): Promise<unknown> {
    const before = this.#holderOf(cluster);
    const result = await call();
    if (name === 'requestToken') this.#hasStoreFailed = false;
    const isLost = before !== undefined && before !== this.#id && this.#holderOf(cluster) === before;
    if (name === 'renewLease' && isLost)
      this.#options.violate(
        'lost lease',
        `${this.name} has renewed the Lease of ${cluster}, which another cluster holds`,
      );
    this.#done(name);
    return result;
  }

  async #ofHome(name: string, call: () => unknown): Promise<unknown> {
    try {
      const result = await call();
      this.#done(name);
      return result;
    } catch (error) {
      if (name === 'readSecret' || name === 'storeToken') this.#hasStoreFailed = true;
      throw error;
    }
  }

  #done(name: string): void {
    if (STEPS.has(name)) this.activeAt = this.#options.simulation.monotonic();
  }

  #used(token: string, { joinToken }: JoinData): string {
    if (token !== joinToken && !this.#stored.has(token) && !this.#hasStoreFailed)
      this.#options.violate('token', `${this.name} uses a token that it has not tried to store`);
    return token;
  }

  #remember(secret: unknown): void {
    const content = readHubToken(secret);
    if (content.kind === 'complete' && content.token !== undefined) this.#stored.add(content.token);
  }

  get #id(): string {
    return this.#options.server.store.get('namespaces', this.#namespace)?.object.metadata.uid ?? '';
  }

  #holderOf(cluster: string): unknown {
    const lease = this.#options.server.store.get(
      'leases.coordination.k8s.io',
      `${AGENTS_NAMESPACE}/${cluster}`,
    )?.object;
    return field(field(lease, 'spec'), 'holderIdentity');
  }

  /** As SIGKILL does. */
  #end(): void {
    this.#clock?.kill();
    for (const one of this.#open) if ('pump' in one) one.abandon();
  }
}

const USER_AGENT = 'multicluster-engine-agent/faults';

interface Tools {
  readonly clock: ProcessClock;
  readonly random: () => number;
  readonly log: ReturnType<typeof loggerOf>;
}

/** A cluster that shares its server with others: its identity is that of its own namespace, not of kube-system. */
class MachineHome extends ApiHome {
  readonly #id: () => string;
  readonly #isUnhealthy: () => boolean;

  constructor(options: ConstructorParameters<typeof ApiHome>[0], id: () => string, isUnhealthy: () => boolean) {
    super(options);
    this.#id = id;
    this.#isUnhealthy = isUnhealthy;
  }

  override async clusterId(signal: AbortSignal): Promise<string> {
    await super.clusterId(signal);
    return this.#id();
  }

  override async probe(signal: AbortSignal): Promise<void> {
    await super.probe(signal);
    const response = { status: 500, body: 'etcd failed', retryAfterMs: undefined };
    if (this.#isUnhealthy()) throw errorFromResponse(response, { verb: 'get', resource: 'readyz' });
  }
}

/** The same object, but each call of a method goes through `run`, unless its result is no promise. */
function around<T extends object>(target: T, run: (name: string, call: () => unknown) => unknown): T {
  return new Proxy(target, {
    get: (_target, name) => {
      const member: unknown = Reflect.get(target, name);
      return typeof member === 'function'
        ? (...args: unknown[]) => run(String(name), () => member.apply(target, args))
        : member;
    },
  });
}
