import type { Scenario } from '../../scenario.js';
import { HEALTH } from './health.js';
import { JOINING } from './joining.js';
import { REPORTS } from './reports.js';

/** Agents, and the health of clusters. */
export const AGENTS: readonly Scenario[] = [...JOINING, ...HEALTH, ...REPORTS];
