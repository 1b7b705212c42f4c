import { field, textField } from '../../api/json.js';
import { nameList } from '../../domain/conditions.js';
import { isList } from '../../domain/selectors.js';
import type { RawObject } from '../../domain/fleet/world.js';
import type { PolicyFacts } from './facts.js';
import { failed, INSTALL_REMEDY, passed, unread, type CheckResult } from './result.js';

/**
 * The policies that limit an identity to what it is for. The others protect users from mistakes and can be left out, and
 * an installation for one fixed namespace has no policy of the target namespace.
 */
export const LIMITING_POLICIES: readonly string[] = [
  'agents',
  'bindings',
  'engines',
  'health',
  'namespaces',
  'objects',
  'set-binding',
].map((name) => `multicluster-engine-${name}`);

const NAME = 'policies';

/** Whether each policy that limits an identity exists, and denies. */
export function checkPolicies({ policies, bindings }: PolicyFacts): CheckResult {
  const what = 'whether the admission policies are in force';
  if (policies.kind === 'Withheld') return unread(NAME, what, policies);
  if (bindings.kind === 'Withheld') return unread(NAME, what, bindings);
  const present = new Set(policies.value.map(({ metadata }) => metadata.name));
  const denying = new Set(bindings.value.filter(denies).map(({ spec }) => textField(spec, 'policyName')));
  const missing = LIMITING_POLICIES.filter((name) => !present.has(name) || !denying.has(name));
  if (missing.length === 0) return passed(NAME, `${LIMITING_POLICIES.length} admission policies are in force`);
  return failed(
    NAME,
    `admission policies that are not in force: ${nameList(missing)}: without them the roles allow more than intended`,
    missing.length === LIMITING_POLICIES.length
      ? INSTALL_REMEDY
      : 'kubectl apply --server-side -f deploy/base/policies/',
  );
}

function denies({ spec }: RawObject): boolean {
  const actions = field(spec, 'validationActions');
  return isList(actions) && actions.includes('Deny');
}
