import { field, textField } from '../../runtime/vocabulary/json.js';
import { nameList } from '../../domain/conditions.js';
import { isList } from '../../domain/selectors.js';
import type { RawObject } from '../../domain/fleet/world.js';
import type { ReadPolicies } from './input.js';
import { failed, INSTALL_REMEDY, passed, unread, warning, type CheckResult } from './result.js';

/** The policies that limit an identity to what it is for. An installation for one fixed namespace has none of the target namespace. */
export const LIMITING_POLICIES: readonly string[] = [
  'adoption',
  'agents',
  'bindings',
  'engines',
  'health',
  'local-cluster',
  'namespaces',
  'objects',
  'set-binding',
].map((name) => `multicluster-engine-${name}`);

interface ProtectingPolicy {
  readonly name: string;
  readonly action: 'Deny' | 'Warn';
  /** The manifest of it and its binding. */
  readonly file: string;
}

/** The policies that refuse or warn of what takes a fleet's data or decisions away. A hub works without them. */
export const PROTECTING_POLICIES: readonly ProtectingPolicy[] = [
  { name: 'multicluster-engine-definitions', action: 'Deny', file: 'deploy/definitions/policies/definitions.yaml' },
  { name: 'multicluster-engine-operator', action: 'Deny', file: 'deploy/definitions/policies/operator.yaml' },
  { name: 'multicluster-engine-in-use', action: 'Deny', file: 'deploy/base/policies/in-use.yaml' },
  ...['', 'fleet-', 'agent-', 'namespace-', 'engine-'].map((what): ProtectingPolicy => ({
    name: `multicluster-engine-${what}warnings`,
    action: 'Warn',
    file: 'deploy/base/policies/warnings.yaml',
  })),
];

/** Whether each policy that limits an identity exists, and denies; and whether those against mistakes are there. */
export function checkPolicies({ policies, bindings }: ReadPolicies): readonly CheckResult[] {
  const what = 'whether the admission policies are in force';
  if (policies.kind === 'Withheld') return [unread('policies', what, policies)];
  if (bindings.kind === 'Withheld') return [unread('policies', what, bindings)];
  const present = new Set(policies.value.map(({ metadata }) => metadata.name));
  const isInForce = (name: string, action: string): boolean =>
    present.has(name) &&
    bindings.value.some((one) => textField(one.spec, 'policyName') === name && hasAction(one, action));
  return [checkLimiting(isInForce), checkProtecting(isInForce)];
}

type InForce = (name: string, action: string) => boolean;

function checkLimiting(isInForce: InForce): CheckResult {
  const missing = limitingMissing(isInForce);
  if (missing.length === 0) return passed('policies', `${LIMITING_POLICIES.length} admission policies are in force`);
  return failed(
    'policies',
    `admission policies that are not in force: ${nameList(missing)}: without them the roles allow more than intended`,
    missing.length === LIMITING_POLICIES.length
      ? INSTALL_REMEDY
      : 'kubectl apply --server-side -f deploy/base/policies/',
  );
}

function limitingMissing(isInForce: InForce): readonly string[] {
  return LIMITING_POLICIES.filter((name) => !isInForce(name, 'Deny'));
}

function checkProtecting(isInForce: InForce): CheckResult {
  const missing = PROTECTING_POLICIES.filter(({ name, action }) => !isInForce(name, action));
  if (missing.length === 0)
    return passed('protection', `${PROTECTING_POLICIES.length} policies against accidental deletions are in force`);
  const files = [...new Set(missing.map(({ file }) => `-f ${file}`))].join(' ');
  return warning(
    'protection',
    `policies against accidental deletions that are not in force: ${nameList(missing.map(({ name }) => name))}`,
    limitingMissing(isInForce).length === LIMITING_POLICIES.length
      ? INSTALL_REMEDY
      : `kubectl apply --server-side ${files}`,
  );
}

function hasAction({ spec }: RawObject, action: string): boolean {
  const actions = field(spec, 'validationActions');
  return isList(actions) && actions.includes(action);
}
