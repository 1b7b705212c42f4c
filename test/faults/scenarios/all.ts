import type { Scenario } from '../scenario.js';
import { plain } from './placement/plain.js';

export const SCENARIOS: readonly Scenario[] = [plain];
