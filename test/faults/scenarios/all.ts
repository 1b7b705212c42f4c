import type { Scenario } from '../scenario.js';
import { AGENTS } from './agents/index.js';
import { drawnScenario } from './drawn.js';
import { ENGINES } from './engine/index.js';
import { GATEWAYS } from './gateway/index.js';
import { PLACEMENT_SCENARIOS } from './placement/index.js';
import { timed } from './timed/index.js';

export const SCENARIOS: readonly Scenario[] = [...PLACEMENT_SCENARIOS, ...timed, ...AGENTS, ...ENGINES, ...GATEWAYS];

/** One of {@link SCENARIOS}, or one that is drawn; undefined where there is none of this name. */
export function scenarioNamed(name: string): Scenario | undefined {
  return SCENARIOS.find((one) => one.name === name) ?? drawnScenario(name);
}
