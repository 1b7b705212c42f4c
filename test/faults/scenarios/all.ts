import type { Scenario } from '../scenario.js';
import { HEALTH } from './agents/health.js';
import { JOINING } from './agents/joining.js';
import { REPORTS } from './agents/reports.js';
import { drawnScenario } from './drawn.js';
import { BY_OTHERS } from './engine/others.js';
import { BY_SPEC } from './engine/spec.js';
import { UNINSTALLS } from './engine/uninstall.js';
import { GATEWAYS } from './gateway/index.js';
import { OBJECTS } from './placement/objects.js';
import { SELECTION } from './placement/selection.js';
import { SPREAD } from './placement/spread.js';
import { ABSENCES } from './timed/absences.js';
import { BUDGETS } from './timed/budgets.js';
import { COMPANIES } from './timed/companies.js';
import { INVENTORIES } from './timed/inventories.js';
import { MOVES } from './timed/moves.js';
import { PROFILES } from './timed/profiles.js';
import { STATES } from './timed/states.js';
import { WINDOWS } from './timed/windows.js';

const PLACEMENTS = [OBJECTS, SELECTION, SPREAD];
/** What depends on time, and Placements in company. */
const TIMED = [WINDOWS, MOVES, BUDGETS, ABSENCES, COMPANIES, INVENTORIES, PROFILES, STATES];
const AGENTS = [JOINING, HEALTH, REPORTS];
const ENGINES = [BY_SPEC, BY_OTHERS, UNINSTALLS];

export const SCENARIOS: readonly Scenario[] = [...PLACEMENTS, ...TIMED, ...AGENTS, ...ENGINES, GATEWAYS].flat();

/** One of {@link SCENARIOS}, or one that is drawn; undefined where there is none of this name. */
export function scenarioNamed(name: string): Scenario | undefined {
  return SCENARIOS.find((one) => one.name === name) ?? drawnScenario(name);
}
