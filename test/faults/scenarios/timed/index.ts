import type { Scenario } from '../../scenario.js';
import { bulkDeletion, definitions, tolerations } from './absences.js';
import { additions, bothBounds, release, removals } from './budgets.js';
import { deletedLease, followers, inventories, replicas, setsAndHealth, shared } from './companies.js';
import { moves, movesInBudget } from './moves.js';
import { changeWindow, pause } from './windows.js';

/** What depends on time, and Placements in company. */
export const timed: readonly Scenario[] = [
  changeWindow,
  pause,
  moves,
  movesInBudget,
  removals,
  additions,
  bothBounds,
  release,
  tolerations,
  definitions,
  bulkDeletion,
  shared,
  replicas,
  deletedLease,
  setsAndHealth,
  inventories,
  followers,
];
