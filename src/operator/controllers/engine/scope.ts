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
import type { MutationCache } from '../../../runtime/controller/mutationcache.js';
import type { Pass } from '../../../runtime/controller/result.js';
import type { EngineCaches } from './caches.js';
import type { EngineMemory } from './memory.js';
import type { TargetCaches } from './targetcaches.js';

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
