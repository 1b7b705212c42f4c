import type { Scenario } from '../scenario.js';
import { PLACEMENT_SCENARIOS } from './placement/index.js';

export const SCENARIOS: readonly Scenario[] = [...PLACEMENT_SCENARIOS];
