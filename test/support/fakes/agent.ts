import { Agent } from '../../../src/agent/agent.js';
import type { Home, StoredSecret } from '../../../src/agent/home.js';
import type { Hub, TokenGrant } from '../../../src/agent/hub.js';
import type { ClaimConfigMap } from '../../../src/domain/agent/report/claims.js';
import type { NodeFacts } from '../../../src/domain/agent/report/nodes.js';
import type { ClusterReport } from '../../../src/domain/agent/report/report.js';
import type { JoinData } from '../../../src/domain/agent/hubtoken.js';
import { ApiError, type ApiErrorInit } from '../../../src/runtime/errors.js';
import type { ManualClock } from '@multicluster-engine/kube-apiserver/testing/clock';
import { joinData } from '../builders/joindata.js';
import { RecordingLog } from './log.js';

/** An error of the hub. */
export function hubError(kind: ApiErrorInit['kind'], more: Partial<ApiErrorInit> = {}): ApiError {
  return new ApiError({
    kind,
    message: `the hub answers ${kind}`,
    call: { verb: 'patch', resource: 'leases' },
    ...more,
  });
}

/** A request that a fake hub has received. */
export interface HubCall {
  /** Seconds of the agent's clock. */
  readonly at: number;
  readonly name: keyof Hub;
  readonly token: string;
}

const OTHER_HOLDER = { causes: [{ reason: '', field: '', message: 'spec.holderIdentity cannot be changed' }] };

/** A hub in memory with one cluster. */
export class FakeHub {
  readonly calls: HubCall[] = [];
  readonly reports: ClusterReport[] = [];
  /** The tokens of the cluster that Argo CD has got. */
  readonly handedOver: string[] = [];
  /** Runs before each request, which fails with what it throws. */
  before: (name: keyof Hub) => void = () => undefined;
  leaseSeconds = 60;
  holder: string | undefined;
  /** `leaseDurationSeconds` of the Lease. */
  claimedSeconds: number | undefined;
  hasJoinSecret = true;
  /** What it gives to each token; undefined: what is requested. */
  lifetimeSeconds: number | undefined;
  /** The tokens that it has granted. */
  readonly tokens: string[] = [];
  /** The text of token 1, 2, … with its lifetime. */
  tokenOf = (number: number, _lifetimeSeconds: number): string => `token-${number}`;
  readonly #clock: ManualClock;

  constructor(clock: ManualClock) {
    this.#clock = clock;
  }

  /** The seconds at which requests of a kind came. */
  times(name: keyof Hub): number[] {
    return this.calls.filter((one) => one.name === name).map(({ at }) => at);
  }

  open(token: () => string): Hub {
    const called = (name: keyof Hub): void => {
      this.calls.push({ at: this.#clock.monotonic() / 1000, name, token: token() });
      this.before(name);
    };
    return {
      requestToken: async (requested) => {
        called('requestToken');
        const lifetimeSeconds = this.lifetimeSeconds ?? requested;
        const token = this.tokenOf(this.tokens.length + 1, lifetimeSeconds);
        this.tokens.push(token);
        return { token, lifetimeSeconds };
      },
      createLease: async ({ holder, seconds }) => {
        called('createLease');
        if (this.holder !== undefined) throw hubError('AlreadyExists');
        this.holder = holder;
        this.claimedSeconds = seconds;
      },
      takeLease: async (holder) => {
        called('takeLease');
        if (this.holder !== holder) throw hubError('Forbidden', OTHER_HOLDER);
        return this.claimedSeconds ?? 60;
      },
      renewLease: async ({ holder, seconds }) => {
        called('renewLease');
        if (this.holder === undefined) throw hubError('NotFound');
        if (this.holder !== holder) throw hubError('Forbidden', OTHER_HOLDER);
        this.claimedSeconds = seconds;
      },
      applyStatus: async (report) => {
        called('applyStatus');
        this.reports.push(report);
        return this.leaseSeconds;
      },
      deleteJoinSecret: async () => {
        called('deleteJoinSecret');
        this.hasJoinSecret = false;
      },
      handOver: async (handed) => {
        called('handOver');
        this.handedOver.push(handed);
      },
      close: async () => undefined,
    };
  }
}

/** A cluster in memory. */
export class FakeHome implements Home {
  /** Runs before each request, which fails with what it throws. */
  before: (name: keyof Home) => void = () => undefined;
  secret: StoredSecret = { uid: 'home-secret', content: { kind: 'complete', join: joinData(), token: undefined } };
  kubernetes = 'v1.36.3';
  /** Why the ConfigMaps with claims cannot be listed or watched. */
  claimsFailure: Error | undefined;
  nodeFacts: readonly NodeFacts[] = [];
  #configMaps: readonly ClaimConfigMap[] = [];
  #tokens = 0;
  #changed: () => void = () => undefined;

  readonly claims = {
    start: (): void => undefined,
    stop: async (): Promise<void> => undefined,
    whenSynced: async (): Promise<void> => undefined,
    onChange: (handler: () => void): void => void (this.#changed = handler),
    store: { values: (): readonly ClaimConfigMap[] => this.#configMaps },
    current: (): boolean => true,
    failure: (): Error | undefined => this.claimsFailure,
  };

  /** Writes the only ConfigMap with claims. */
  claim(data: Readonly<Record<string, string>>): void {
    this.#configMaps = [{ metadata: { name: 'claims' }, data }];
    this.#changed();
  }

  async clusterId(): Promise<string> {
    this.before('clusterId');
    return 'kube-system-uid';
  }

  async readSecret(): Promise<StoredSecret> {
    this.before('readSecret');
    return this.secret;
  }

  async storeToken(uid: string, token: string, join: JoinData): Promise<void> {
    this.before('storeToken');
    if (uid !== this.secret.uid) throw hubError('Conflict');
    this.secret = { uid, content: { kind: 'complete', join, token } };
  }

  async version(): Promise<string> {
    this.before('version');
    return this.kubernetes;
  }

  async nodes(): Promise<readonly NodeFacts[]> {
    this.before('nodes');
    return this.nodeFacts;
  }

  async clientConfig(): Promise<undefined> {
    this.before('clientConfig');
    return undefined;
  }

  async argoCdToken(): Promise<TokenGrant> {
    this.before('argoCdToken');
    this.#tokens += 1;
    return { token: `home-${this.#tokens}`, lifetimeSeconds: 3_600 };
  }

  async probe(): Promise<void> {
    this.before('probe');
  }
}

/** A running agent between a fake hub and a fake cluster. Random numbers are 0.5. */
export class FakeAgent {
  readonly log = new RecordingLog();
  readonly metrics: string[] = [];
  /** When the token in use and the stored one end, in seconds since 2026. */
  readonly tokensUntil: Record<string, number> = {};
  /** The hubs to which it has connected. */
  readonly hubs = new Set<string>();
  readonly #agent: Agent;
  readonly #end = new AbortController();
  readonly #ended: Promise<boolean>;

  constructor(clock: ManualClock, home: FakeHome, hub: FakeHub, argoCdNamespace?: string) {
    const count =
      (name: string) =>
      (result: string): void =>
        void this.metrics.push(`${name} ${result}`);
    const metrics = {
      renewed: count('renewed'),
      published: count('published'),
      tokenRequested: count('token'),
      tokenUntil: (which: string, until: number): void => {
        this.tokensUntil[which] = (until - Date.parse('2026-01-01T00:00:00Z')) / 1000;
      },
    };
    this.#agent = new Agent({
      home,
      openHub: ({ hubUrl }, token) => {
        this.hubs.add(hubUrl);
        return hub.open(token);
      },
      tools: { clock, random: () => 0.5, log: this.log, metrics },
      tokenLifetimeSeconds: 604_800,
      argoCdNamespace,
    });
    this.#ended = this.#agent.run(this.#end.signal);
  }

  problems(): string[] {
    return this.#agent.readiness().flatMap((check) => check.check() ?? []);
  }

  stop(): Promise<boolean> {
    this.#end.abort(new Error('the test is over'));
    return this.#ended;
  }
}
