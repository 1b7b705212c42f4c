import type { Scenario } from '../scenario.js';
import { AGENTS } from './agents/index.js';
import { ENGINES } from './engine/index.js';
import { GATEWAYS } from './gateway/index.js';
import { PLACEMENT_SCENARIOS } from './placement/index.js';
import { timed } from './timed/index.js';

export const SCENARIOS: readonly Scenario[] = [...PLACEMENT_SCENARIOS, ...timed, ...AGENTS, ...ENGINES, ...GATEWAYS];
