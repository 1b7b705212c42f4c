import type { Scenario } from '../../scenario.js';
import { OBJECTS } from './objects.js';
import { SELECTION } from './selection.js';
import { SPREAD } from './spread.js';

/** What a Placement selects, and how it is published. */
export const PLACEMENT_SCENARIOS: readonly Scenario[] = [...OBJECTS, ...SELECTION, ...SPREAD];
