import type { Scenario } from '../../scenario.js';
import { bulkDeletion, definitions, deletionsInTurn, oneCommand, releaseBefore, tolerations } from './absences.js';
import {
  additions,
  additionsReleased,
  bothBounds,
  heldFirst,
  holdAndAdditions,
  percentage,
  release,
  removals,
} from './budgets.js';
import {
  deletedLease,
  followers,
  holdHandedOver,
  inventories,
  leaderReturns,
  replicas,
  setsAndHealth,
  shared,
  takenName,
} from './companies.js';
import { balancedMoves, moves, movesApart, movesInBudget, pausedMoves } from './moves.js';
import { changeWindow, pause, setPause, setWindow, windowAndHealth } from './windows.js';

/** What depends on time, and Placements in company. */
export const timed: readonly Scenario[] = [
  changeWindow,
  windowAndHealth,
  pause,
  setWindow,
  setPause,
  moves,
  movesInBudget,
  pausedMoves,
  balancedMoves,
  movesApart,
  removals,
  additions,
  additionsReleased,
  bothBounds,
  release,
  heldFirst,
  holdAndAdditions,
  percentage,
  tolerations,
  definitions,
  releaseBefore,
  bulkDeletion,
  deletionsInTurn,
  oneCommand,
  shared,
  replicas,
  holdHandedOver,
  leaderReturns,
  deletedLease,
  setsAndHealth,
  inventories,
  takenName,
  followers,
];
