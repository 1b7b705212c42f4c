import type { Scenario } from '../../scenario.js';
import { BY_SPEC } from './spec.js';
import { BY_OTHERS } from './others.js';
import { UNINSTALLS } from './uninstall.js';

export const ENGINES: readonly Scenario[] = [...BY_SPEC, ...BY_OTHERS, ...UNINSTALLS];
