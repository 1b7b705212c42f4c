import type { JoinData } from '../../domain/agent/hubtoken.js';
import type { Clock, Random } from '../../runtime/clock.js';
import type { Logger } from '../../runtime/logger.js';
import type { AgentMetrics } from '../metrics.js';
import type { Home, StoredSecret } from '../home.js';
import type { Hub } from '../hub.js';
import type { HubState } from './hubstate.js';

/** What an agent uses of the process that it runs in. */
export interface AgentTools {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly metrics: AgentMetrics;
}

/** Connects to a hub, as `connectHub` does; `token` returns the token that is valid now. */
export type OpenHub = (join: JoinData, token: () => string) => Hub;

/**
 * What all parts of a session share. A session is one membership of a hub: it begins with a manifest, and ends when
 * another manifest replaces it, or when the hub has another cluster with this name.
 */
export interface SessionContext {
  readonly tools: AgentTools;
  readonly home: Home;
  readonly openHub: OpenHub;
  /** The Secret of the manifest; its content is complete. */
  readonly secret: StoredSecret;
  /** What the content says of the hub and the cluster. */
  readonly join: JoinData;
  /** The holder identity in the Lease. */
  readonly clusterId: string;
  /** The lifetime that is requested for each token. */
  readonly tokenLifetimeSeconds: number;
  readonly state: HubState;
  readonly end: (how: SessionEnd) => void;
}

/**
 * - replaced: the Secret has another manifest's content.
 * - taken: the hub has another cluster with this name.
 */
export type SessionEnd = 'replaced' | 'taken';
