import type { JoinData } from '../../domain/agent/hubtoken.js';
import type { Clock, Random } from '../../runtime/clock.js';
import type { Logger } from '../../runtime/logger.js';
import type { AgentMetrics } from '../metrics.js';
import type { Home, StoredSecret } from '../home.js';
import type { Hub } from '../hub.js';
import type { HubState } from './hubstate.js';

/** What an agent needs of its process. */
export interface AgentTools {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly metrics: AgentMetrics;
}

/** Opens a hub. `token`: see `connectHub`. */
export type OpenHub = (join: JoinData, token: () => string) => Hub;

/** One membership of a hub: from a manifest until there is another one, or until the hub knows another cluster by the name. */
export interface SessionContext {
  readonly tools: AgentTools;
  readonly home: Home;
  readonly openHub: OpenHub;
  /** With a complete content. */
  readonly secret: StoredSecret;
  readonly join: JoinData;
  /** Holder identity in the Lease. */
  readonly clusterId: string;
  /** Requested for each token. */
  readonly tokenLifetimeSeconds: number;
  readonly state: HubState;
  /** Ends the session. */
  readonly end: (how: SessionEnd) => void;
}

/**
 * - replaced: the Secret has another manifest's content.
 * - taken: the hub has another cluster with this name.
 */
export type SessionEnd = 'replaced' | 'taken';
