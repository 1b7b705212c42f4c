import {
  limitingPolicies,
  limitingText,
  missingPolicies,
  policiesCommand,
  protectingText,
  PROTECTING_POLICIES,
  type OwnPolicy,
} from '../../domain/engine/policies.js';
import type { HubInput } from './input.js';
import { failed, INSTALL_REMEDY, passed, unread, warning, type CheckResult } from './result.js';

/**
 * Whether each policy that limits an identity exists, and denies; and whether those against mistakes are there.
 * Policy multicluster-engine-target is not asked for: only the operator knows whether its namespace is fixed.
 * `isInstalled`: there is an engine, so that only files are missing.
 */
export function checkPolicies(
  { policies, bindings }: HubInput['admission'],
  isInstalled: boolean,
): readonly CheckResult[] {
  const what = 'whether the admission policies are in force';
  if (policies.kind === 'Withheld') return [unread('policies', what, policies)];
  if (bindings.kind === 'Withheld') return [unread('policies', what, bindings)];
  const wanted = limitingPolicies(false);
  const { limiting, protecting } = missingPolicies({ policies: policies.value, bindings: bindings.value }, false);
  const hasNone = !isInstalled && limiting.length === wanted.length;
  const remedy = (missing: readonly OwnPolicy[]): string => (hasNone ? INSTALL_REMEDY : policiesCommand(missing));
  return [
    limiting.length === 0
      ? passed('policies', `${wanted.length} admission policies are in force`)
      : failed('policies', limitingText(limiting), remedy(limiting)),
    protecting.length === 0
      ? passed('protection', `${PROTECTING_POLICIES.length} policies against accidental deletions are in force`)
      : warning('protection', protectingText(protecting), remedy(protecting)),
  ];
}
