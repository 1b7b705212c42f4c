import type { KubeObject } from '../../../runtime/vocabulary/meta.js';
import { sameJson } from '../../../runtime/vocabulary/json.js';
import { NetworkPolicies } from '../../../runtime/vocabulary/kinds.js';
import type { DesiredObject } from '../manifest/desired.js';
import { appliedPorts, isPortOf } from '../manifest/policyports.js';
import { itemsAt, treeAt, type Tree } from '../manifest/manifest.js';

/**
 * The desired object with what administrators have added to the egress of the stored one: the API server may listen on a port
 * that no field names. Whoever may edit a NetworkPolicy could also create another one, which adds to it, so that nothing is
 * allowed by this that is not allowed otherwise. Rules and ports of ours that are missing are added again, and ports that an
 * earlier spec or template has put there go. A rule that names no port is drift: it opens the policy, whatever it was meant for.
 */
export function withAddedEgress(desired: DesiredObject, stored: KubeObject): DesiredObject {
  const { type, object } = desired;
  const ours = itemsAt(object, 'spec', 'egress');
  if (type !== NetworkPolicies || ours.length === 0) return desired;
  const wanted = appliedPorts(object);
  const left = appliedPorts(stored).filter((port) => !wanted.includes(port));
  const there = itemsAt(stored, 'spec', 'egress').filter(namesPorts);
  const egress = ours.reduce<readonly Tree[]>(withRule, left.length === 0 ? there : withoutPorts(there, ours, left));
  return { ...desired, object: { ...object, spec: { ...treeAt(object, 'spec'), egress } } };
}

/** The rules without these ports, where they differ from one of ours in their ports alone. */
function withoutPorts(rules: readonly Tree[], ours: readonly Tree[], left: readonly number[]): readonly Tree[] {
  const rest = rules.map((rule) => {
    if (!ours.some((one) => isAlike(one, rule))) return rule;
    return { ...rule, ports: itemsAt(rule, 'ports').filter((one) => !isPortOf(one, left)) };
  });
  return rest.filter(namesPorts);
}

function namesPorts(rule: Tree): boolean {
  return itemsAt(rule, 'ports').length > 0;
}

/** The rules with `rule`: as it is in one of them, else in the first that differs in its ports alone, else before them. */
function withRule(rules: readonly Tree[], rule: Tree): readonly Tree[] {
  const alike = rules.filter((one) => isAlike(one, rule));
  if (alike.some((one) => missingPorts(rule, one).length === 0)) return rules;
  const [first] = alike;
  if (first === undefined) return [rule, ...rules];
  const ports = [...itemsAt(first, 'ports'), ...missingPorts(rule, first)];
  return rules.map((one) => (one === first ? { ...first, ports } : one));
}

/** Whether two rules differ in their ports at most. */
function isAlike({ ports: _of, ...one }: Tree, { ports: _than, ...other }: Tree): boolean {
  return sameJson(one, other);
}

/** The ports of `wanted` that `rule` does not have. */
function missingPorts(wanted: Tree, rule: Tree): readonly Tree[] {
  const ports = itemsAt(rule, 'ports');
  return itemsAt(wanted, 'ports').filter((port) => !ports.some((one) => sameJson(one, port)));
}
