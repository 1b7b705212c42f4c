import type { KubeObject } from '../../../runtime/vocabulary/meta.js';
import { sameJson, type JsonRecord } from '../../../runtime/vocabulary/json.js';
import { itemsAt, treeAt, textAt, type Manifest } from './manifest.js';
import { API_SERVER_PORTS_ANNOTATION } from '../../../api/names.js';
import { API_SERVER_PORTS } from '../spec.js';

/**
 * A desired policy with what administrators have added to the egress of the stored one: the API server may listen on a port
 * that no field names. Whoever may edit a NetworkPolicy could also create another one, which adds to it, so that nothing is
 * allowed by this that is not allowed otherwise. Rules and ports of ours that are missing are added again, and ports that an
 * earlier spec or template has put there go. A rule that names no port is drift: it opens the policy, whatever it was meant for.
 */
export function withAddedEgress(policy: Manifest, stored: KubeObject): Manifest {
  const ours = itemsAt(policy, 'spec', 'egress');
  if (ours.length === 0) return policy;
  const wanted = appliedPorts(policy);
  const left = appliedPorts(stored).filter((port) => !wanted.includes(port));
  const there = itemsAt(stored, 'spec', 'egress').filter(namesPorts);
  const egress = ours.reduce<readonly JsonRecord[]>(
    withRule,
    left.length === 0 ? there : withoutPorts(there, ours, left),
  );
  return { ...policy, spec: { ...treeAt(policy, 'spec'), egress } };
}

/** The rules without these ports, where they differ from one of ours in their ports alone. */
function withoutPorts(
  rules: readonly JsonRecord[],
  ours: readonly JsonRecord[],
  left: readonly number[],
): readonly JsonRecord[] {
  const rest = rules.map((rule) => {
    if (!ours.some((one) => isAlike(one, rule))) return rule;
    return { ...rule, ports: itemsAt(rule, 'ports').filter((one) => !isPortOf(one, left)) };
  });
  return rest.filter(namesPorts);
}

function namesPorts(rule: JsonRecord): boolean {
  return itemsAt(rule, 'ports').length > 0;
}

/** The rules with `rule`: as it is in one of them, else in the first that differs in its ports alone, else before them. */
function withRule(rules: readonly JsonRecord[], rule: JsonRecord): readonly JsonRecord[] {
  const alike = rules.filter((one) => isAlike(one, rule));
  if (alike.some((one) => missingPorts(rule, one).length === 0)) return rules;
  const [first] = alike;
  if (first === undefined) return [rule, ...rules];
  const ports = [...itemsAt(first, 'ports'), ...missingPorts(rule, first)];
  return rules.map((one) => (one === first ? { ...first, ports } : one));
}

/** Whether two rules differ in their ports at most. */
function isAlike({ ports: _of, ...one }: JsonRecord, { ports: _than, ...other }: JsonRecord): boolean {
  return sameJson(one, other);
}

/** The ports of `wanted` that `rule` does not have. */
function missingPorts(wanted: JsonRecord, rule: JsonRecord): readonly JsonRecord[] {
  const ports = itemsAt(rule, 'ports');
  return itemsAt(wanted, 'ports').filter((port) => !ports.some((one) => sameJson(one, port)));
}

/** A NetworkPolicy of a component with these ports of the API server in place of the template's, and their annotation. */
export function withApiServerPorts(policy: Manifest, ports: readonly number[]): Manifest {
  const egress = itemsAt(policy, 'spec', 'egress').map((rule) => ({
    ...rule,
    ports: [
      ...ports.map((port) => ({ protocol: 'TCP', port })),
      ...itemsAt(rule, 'ports').filter((one) => !isPortOf(one, API_SERVER_PORTS)),
    ],
  }));
  const { metadata } = policy;
  const annotations = { ...metadata.annotations, [API_SERVER_PORTS_ANNOTATION]: ports.join(',') };
  return { ...policy, metadata: { ...metadata, annotations }, spec: { ...treeAt(policy, 'spec'), egress } };
}

/** The ports of the API server that a stored policy was applied with: those of its annotation, else the template's. */
function appliedPorts(policy: unknown): readonly number[] {
  const text = textAt(policy, 'metadata', 'annotations', API_SERVER_PORTS_ANNOTATION);
  return text === '' ? API_SERVER_PORTS : text.split(',').map(Number);
}

/** Whether an entry of a rule is one of these ports as the engine writes it. */
function isPortOf(entry: JsonRecord, ports: readonly number[]): boolean {
  const { protocol = 'TCP', port, endPort } = entry;
  return protocol === 'TCP' && endPort === undefined && ports.some((one) => one === port);
}
