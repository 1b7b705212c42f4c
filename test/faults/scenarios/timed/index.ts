import type { Scenario } from '../../scenario.js';
import { ABSENCES } from './absences.js';
import { BUDGETS } from './budgets.js';
import { COMPANIES } from './companies.js';
import { INVENTORIES } from './inventories.js';
import { MOVES } from './moves.js';
import { PROFILES } from './profiles.js';
import { STATES } from './states.js';
import { WINDOWS } from './windows.js';

/** What depends on time, and Placements in company. */
export const timed: readonly Scenario[] = [
  ...WINDOWS,
  ...MOVES,
  ...BUDGETS,
  ...ABSENCES,
  ...COMPANIES,
  ...INVENTORIES,
  ...PROFILES,
  ...STATES,
];
