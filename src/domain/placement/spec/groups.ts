import {
  meetsAll,
  quote,
  readList,
  readObject,
  readRequirements,
  readString,
  reject,
  type LabelsAndClaims,
} from '../../selectors.js';
import { limitIn, limitRule, type Limit } from './budget.js';
import type { ClusterView } from './cluster.js';

/** `spec.decisionStrategy.groupStrategy`: the waves in which a rollout proceeds. */
export interface GroupStrategy {
  /** In their order; a cluster that none of them selects is in the group without a name, which comes last. */
  readonly groups: readonly DecisionGroup[];
  /** How many clusters a piece of a group has: at least 1, or 1 to 100 percent of the selected ones. */
  readonly size: Limit;
}

export interface DecisionGroup extends LabelsAndClaims {
  readonly name: string;
}

/** The name of the group of all clusters that no named group selects. */
export const NO_GROUP = '';

const MOST_GROUPS = 32;
const WHOLE_GROUP: Limit = { unit: 'percent', value: 100 };
const NAME = /^[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/;
const NAME_RULE = "must be 1 to 63 letters, digits, '-', '_' and '.', with a letter or digit at both ends";

/** The groups of a spec, inside a `parse`; undefined where it asks for none. */
export function readGroups(value: unknown, path: string): GroupStrategy | undefined {
  const strategy = readObject(value, path)['groupStrategy'];
  if (strategy === undefined || strategy === null) return undefined;
  const at = `${path}.groupStrategy`;
  const fields = readObject(strategy, at);
  const items = readList(fields['decisionGroups'], `${at}.decisionGroups`, MOST_GROUPS);
  const names = new Set<string>();
  const groups = items.map((item, index) => readGroup(item, `${at}.decisionGroups[${index}]`, names));
  return { groups, size: readSize(fields['clustersPerDecisionGroup'], `${at}.clustersPerDecisionGroup`) };
}

/** `known`: the names of the groups before, to which that of this one is added. */
function readGroup(value: unknown, path: string, known: Set<string>): DecisionGroup {
  const fields = readObject(value, path);
  const name = readString(fields['groupName'], `${path}.groupName`);
  if (!NAME.test(name)) reject(`${path}.groupName`, `${quote(name)}: ${NAME_RULE}`);
  if (known.has(name)) reject(`${path}.groupName`, `${quote(name)} is the name of another group: names must differ`);
  known.add(name);
  const at = `${path}.groupClusterSelector`;
  return { name, ...readRequirements(readObject(fields['groupClusterSelector'], at), at) };
}

function readSize(value: unknown, path: string): Limit {
  if (value === undefined || value === null) return WHOLE_GROUP;
  return limitIn(value, 1) ?? reject(path, `${quote(value)}: must be ${limitRule(1)}`);
}

/** The group of a cluster: the first whose selector it matches, else the one without a name. */
export function groupOf({ groups }: GroupStrategy, cluster: ClusterView): string {
  return groups.find((one) => meetsAll(one, cluster))?.name ?? NO_GROUP;
}

/** Whether the group of a cluster is the same before and after a change of it; true without groups. */
export function isInSameGroup(before: ClusterView, after: ClusterView, groups: GroupStrategy | undefined): boolean {
  return groups === undefined || groupOf(groups, before) === groupOf(groups, after);
}
