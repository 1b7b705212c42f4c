import type { Scenario } from '../../scenario.js';
import { balance } from './balance.js';
import { bindings } from './bindings.js';
import { claims } from './claims.js';
import { deletion } from './deletion.js';
import { details } from './details.js';
import { edited } from './edited.js';
import { groups, replacedGroup } from './groups.js';
import { large } from './large.js';
import { misconfigured } from './misconfigured.js';
import { numbers } from './numbers.js';
import { plain } from './plain.js';
import { recreated } from './recreated.js';
import { scores } from './scores.js';
import { sets } from './sets.js';
import { sharedNumbers } from './sharednumbers.js';
import { anyway, spread, spreadLast, twoSpreads } from './spread.js';
import { preferred, taints } from './taints.js';

/** What a Placement selects, and how it is published. */
export const PLACEMENT_SCENARIOS: readonly Scenario[] = [
  plain,
  anyway,
  balance,
  bindings,
  claims,
  deletion,
  details,
  edited,
  groups,
  large,
  misconfigured,
  numbers,
  preferred,
  recreated,
  replacedGroup,
  scores,
  sets,
  sharedNumbers,
  spread,
  spreadLast,
  taints,
  twoSpreads,
];
