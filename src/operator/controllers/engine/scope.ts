import type { MultiClusterEngine } from '../../../api/generated/multiclusterengine.js';
import type { NodeFacts } from '../../../domain/agent/report/nodes.js';
import type { EngineSettings } from '../../../domain/engine/manifest/desired.js';
import type { Templates } from '../../../domain/engine/catalogue.js';
import type { SpecErrors } from '../../../domain/engine/validation.js';
import type { KeyPair } from '../../../domain/engine/steps/certificate.js';
import type { KubeClient } from '../../../runtime/client/client.js';
import type { EventRecorder } from '../../../runtime/events/recorder.js';
import type { Clock } from '../../../runtime/clock.js';
import type { EngineMetrics } from '../metrics.js';
import { MutationCache } from '../../../runtime/controller/mutationcache.js';
import type { KubeObject } from '../../../runtime/vocabulary/meta.js';
import type { Pass } from '../../../runtime/controller/result.js';
import type { EngineCaches, TargetCaches } from './caches.js';
import type { KeyPairFinding } from '../../../runtime/vocabulary/keypair.js';
import type { TrustBundle } from '../../../domain/engine/spec.js';
import type { TrustBundleFinding } from '../../../domain/engine/steps/podtemplates.js';
import type { ControlPlaneState } from '../../../domain/agent/report/report.js';
import type { HubSample } from '../../../domain/engine/localcluster.js';
import type { ObjectState } from '../../../domain/engine/status/input.js';

/** Makes a key and a self-signed certificate for these DNS names. `now`: ms since the epoch. */
export type IssueKeyPair = (names: readonly string[], now: number) => Promise<KeyPair>;

/** What the hub says of itself. All requests throw an ApiError. */
export interface HubApi {
  /** `gitVersion` of /version. */
  version(signal: AbortSignal): Promise<string>;
  nodes(signal: AbortSignal): Promise<readonly NodeFacts[]>;
  /** Throws when /readyz does not succeed. */
  probe(signal: AbortSignal): Promise<void>;
}

/** What the reconciler is constructed with; shared by the passes over all engines. */
export interface EngineContext {
  /** Guarded by `engineRights`. */
  readonly client: KubeClient;
  readonly recorder: EventRecorder;
  readonly clock: Clock;
  readonly metrics?: EngineMetrics | undefined;
  readonly caches: EngineCaches;
  readonly targets: TargetCaches;
  /** The operator's own writes of engines, by name, until the watch cache has them. */
  readonly mutations: MutationCache<MultiClusterEngine>;
  /** By folder of `deploy/components/`. */
  readonly templates: Templates;
  readonly specErrors: SpecErrors;
  readonly settings: EngineSettings;
  readonly issueKeyPair: IssueKeyPair;
  readonly hub: HubApi;
}

/** What one pass over one engine works with. */
export interface Scope extends EngineContext {
  readonly pass: Pass;
  readonly memory: EngineMemory;
}

/** What the controller keeps about one engine between passes. Correctness never depends on it: it may be lost at any time. */
export class EngineMemory {
  readonly uid: string;
  /** The operator's own writes of the engine's objects, by id, until the watch caches have them. */
  readonly writes: MutationCache<KubeObject>;
  /** Monotonic ms at which the installer binding was last written; its rights take effect with a delay. */
  boundAt: number | undefined;
  /** Key pairs that are not stored yet, by the id of their Secret: retries of a write store the same pair. */
  readonly unstoredKeyPairs = new Map<string, KeyPair>();
  /** What was found in Secrets that somebody else made, by id. No part of a key is kept. */
  readonly givenSecrets = new Map<string, GivenSecret>();
  /** The type of the pull secret that was read last. The type of a Secret never changes. */
  pullSecret: { readonly uid: string; readonly isOfOtherType: boolean } | undefined;
  /** The trust bundle as it was last read. */
  trustBundle: ReadBundle | undefined;
  /** What was last read of the hub, for its own ManagedCluster. */
  localCluster: KnownHub | undefined;
  /** The replicas of a Deployment when all of them were last ready, by its id. */
  readonly readyReplicas = new Map<string, number>();
  /** Monotonic ms at which each step was first refused. */
  readonly #refusedAt = new Map<RefusedStep, number>();
  readonly #attempts = new Map<string, Attempt>();
  readonly #repairs = new Map<string, { readonly count: number; readonly lastAt: number }>();

  constructor(uid: string, clock: Pick<Clock, 'monotonic'>) {
    this.uid = uid;
    this.writes = new MutationCache(clock);
  }

  /**
   * Whether a refusal of the step may end by itself, as that of a right that the API server does not know yet, or of a definition that
   * is made again: for a minute from its first refusal on.
   */
  mayRefusalEnd(step: RefusedStep, now: number): boolean {
    const first = this.#refusedAt.get(step) ?? now;
    this.#refusedAt.set(step, first);
    return now - first < REFUSED_MS;
  }

  /** The step was not refused, or goes on without what it was refused: a later refusal is another one. */
  forgetRefusal(step: RefusedStep): void {
    this.#refusedAt.delete(step);
  }

  /** The state of an object whose retry for the same revision is not due; undefined when a write may be attempted. */
  backedOff(id: string, revision: string, now: number): ObjectState | undefined {
    const attempt = this.#attempts.get(id);
    return attempt?.revision === revision && now < attempt.notBefore ? attempt.state : undefined;
  }

  /**
   * Records that a write of the object failed, and delays the retry. `before`: how many failures in a row the stored status reports,
   * for the first one that this process sees. Returns the state with the number of failures, including this one.
   */
  failed(
    id: string,
    failure: { readonly revision: string; readonly state: ObjectState; readonly now: number; readonly before: number },
  ): ObjectState {
    const last = this.#attempts.get(id);
    const isRetry = last?.revision === failure.revision;
    const tries = isRetry ? last.tries + 1 : 1;
    const reported = isRetry ? last.reported : failure.before;
    const state = { ...failure.state, failures: reported + 1 };
    const notBefore = failure.now + Math.min(FIRST_RETRY_MS * 2 ** (tries - 1), LAST_RETRY_MS);
    this.#attempts.set(id, { revision: failure.revision, tries, reported, inCurrentPass: true, notBefore, state });
    return state;
  }

  succeeded(id: string): void {
    this.#attempts.delete(id);
  }

  /**
   * Counts the failures of the current pass, whose status is stored. Failures of a pass that could not store a status do not count,
   * so that an unreachable API server does not lead to phase Error.
   */
  countFailures(): void {
    for (const [id, attempt] of this.#attempts) {
      if (attempt.inCurrentPass)
        this.#attempts.set(id, { ...attempt, reported: attempt.reported + 1, inCurrentPass: false });
    }
  }

  /** Ms until the retry of a failed object is due; undefined when none is recorded. */
  retryDelayMs(id: string, now: number): number | undefined {
    const attempt = this.#attempts.get(id);
    return attempt === undefined ? undefined : Math.max(attempt.notBefore - now, 0);
  }

  /** Ms until drift of `id` may be repaired, 0 for at once: repeated repairs of one object back off. */
  repairDelayMs(id: string, now: number): number {
    const repairs = this.#repairs.get(id);
    if (repairs === undefined || now - repairs.lastAt > REPAIR_RESET_MS) return 0;
    const delay = Math.min(FIRST_REPAIR_DELAY_MS * 2 ** (repairs.count - 1), LAST_REPAIR_DELAY_MS);
    return Math.max(repairs.lastAt + delay - now, 0);
  }

  repaired(id: string, now: number): void {
    const repairs = this.#repairs.get(id);
    const isFirst = repairs === undefined || now - repairs.lastAt > REPAIR_RESET_MS;
    this.#repairs.set(id, { count: isFirst ? 1 : repairs.count + 1, lastAt: now });
  }
}

/** To read and delete the namespace in an uninstall, or to say in a cluster that nobody reports for it. */
type RefusedStep = 'namespace' | 'stopReporting';

/** `finding` of that version of the Secret, or why it could not be read. */
export type GivenSecret =
  | { readonly resourceVersion: string | undefined; readonly finding: KeyPairFinding }
  | { readonly unread: string };

/** The ConfigMap as it was last read. */
interface ReadBundle {
  readonly bundle: TrustBundle;
  readonly finding: TrustBundleFinding;
  /** Monotonic ms. */
  readonly readAgainAt: number;
}

interface KnownHub {
  /** The name of the ManagedCluster. */
  readonly name: string;
  readonly health: ControlPlaneState | undefined;
  readonly sample: HubSample;
  /** Monotonic ms. */
  readonly sampleAgainAt: number;
  readonly readAgainAt: number;
  readonly state: ObjectState;
  /** The status that was applied last, and the version of the ManagedCluster with it. */
  readonly applied: { readonly status: unknown; readonly resourceVersion: string | undefined } | undefined;
}

/** The failed writes of one object. */
interface Attempt {
  /** What was to be written; another revision is tried at once. */
  readonly revision: string;
  /** The failures in a row that this process has seen. */
  readonly tries: number;
  /** The failures in a row in passes whose status was stored. */
  readonly reported: number;
  /** Whether the last failure was in the current pass. */
  readonly inCurrentPass: boolean;
  /** When the write may be tried again, monotonic ms. */
  readonly notBefore: number;
  readonly state: ObjectState;
}

const REFUSED_MS = 60_000;
const FIRST_RETRY_MS = 1_000;
const LAST_RETRY_MS = 60_000;
/** The longest delay is below 5 s, so that drift is repaired within this time however often it occurs. */
const FIRST_REPAIR_DELAY_MS = 250;
const LAST_REPAIR_DELAY_MS = 4_000;
const REPAIR_RESET_MS = 60_000;
