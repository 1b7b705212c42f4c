import { targetNamespaceOf, type SpecFault } from './spec.js';
import type { MultiClusterEngineSpec } from '../../api/generated/multiclusterengine.js';

/**
 * Everything in a stored spec that cannot be served, in field order. Admission refuses all of it; this is for what was
 * stored while a rule of the CRD was missing: a reconciler never trusts admission. Rules: the schema of the CRD.
 */
export function specFaults(spec: unknown): readonly SpecFault[] {
  if (spec === undefined || spec === null) return [];
  if (!isObject(spec)) return [fault('spec', spec, 'must be an object')];
  return [
    ...nameFault('spec.imagePullSecret', spec['imagePullSecret'], isSubdomain, 'must be empty or a DNS-1123 subdomain'),
    ...selectorFaults(spec['nodeSelector']),
    ...namespaceFaults(spec['targetNamespace']),
    ...tolerationFaults(spec['tolerations']),
  ];
}

/** What the rules that no schema can hold find: the effective target namespace never moves, and is the one the operator may serve. */
export function placeFaults(
  spec: MultiClusterEngineSpec | undefined,
  installedIn: string | undefined,
  only: string | undefined,
): readonly SpecFault[] {
  const field = 'spec.targetNamespace';
  const target = targetNamespaceOf(spec);
  if (installedIn !== undefined && installedIn !== '' && installedIn !== target) {
    return [
      fault(field, target, `is immutable: the engine is installed in ${installedIn}; delete and recreate the engine`),
    ];
  }
  if (only !== undefined && only !== target) {
    return [fault(field, target, `must be ${only}: the operator runs with --namespace ${only}`)];
  }
  return [];
}

/** One line that names field, value and rule. */
export function faultText(one: SpecFault): string {
  return `${one.field}: ${one.value}: ${one.rule}`;
}

function namespaceFaults(value: unknown): SpecFault[] {
  const field = 'spec.targetNamespace';
  const bad = nameFault(field, value, isDnsLabel, 'must be empty or a DNS-1123 label');
  if (bad.length > 0 || typeof value !== 'string') return bad;
  if (value === 'default' || value.startsWith('kube-'))
    return [fault(field, value, 'must be neither default nor kube-*')];
  return [];
}

function nameFault(field: string, value: unknown, good: (text: string) => boolean, rule: string): SpecFault[] {
  if (value === undefined || value === null || value === '') return [];
  return typeof value === 'string' && good(value) ? [] : [fault(field, value, rule)];
}

function selectorFaults(value: unknown): SpecFault[] {
  const field = 'spec.nodeSelector';
  if (value === undefined || value === null) return [];
  if (!isObject(value)) return [fault(field, value, 'must be a map of string to string')];
  const faults: SpecFault[] = [];
  for (const [key, one] of Object.entries(value)) {
    if (!isLabelKey(key)) faults.push(fault(field, key, 'must have label keys'));
    else if (!isLabelValue(one)) faults.push(fault(`${field}[${key}]`, one, 'must be a label value'));
  }
  return faults;
}

function tolerationFaults(value: unknown): SpecFault[] {
  const field = 'spec.tolerations';
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) return [fault(field, value, 'must be a list')];
  return value.flatMap((one: unknown, at) => tolerationFault(`${field}[${at}]`, one));
}

function tolerationFault(field: string, one: unknown): SpecFault[] {
  if (!isObject(one)) return [fault(field, one, 'must be an object')];
  const { key, value, effect, tolerationSeconds: seconds } = one;
  const operator = one['operator'] ?? 'Equal';
  for (const rule of [
    {
      name: 'operator',
      value: operator,
      holds: operator === 'Exists' || operator === 'Equal',
      text: 'must be Exists or Equal',
    },
    {
      name: 'effect',
      value: effect,
      holds: empty(effect) || isEffect(effect),
      text: 'must be NoSchedule, PreferNoSchedule, NoExecute or empty',
    },
    { name: 'key', value: key, holds: empty(key) || isLabelKey(key), text: 'must be empty or a label key' },
    {
      name: 'key',
      value: key,
      holds: operator === 'Exists' || !empty(key),
      text: 'must not be empty unless operator is Exists',
    },
    { name: 'value', value, holds: empty(value) || isLabelValue(value), text: 'must be a label value' },
    { name: 'value', value, holds: operator !== 'Exists' || empty(value), text: 'must be empty with operator Exists' },
    {
      name: 'tolerationSeconds',
      value: seconds,
      holds: empty(seconds) || isSeconds(seconds),
      text: 'must be an integer within ±2^53',
    },
  ]) {
    if (!rule.holds) return [fault(`${field}.${rule.name}`, rule.value, rule.text)];
  }
  return [];
}

const LONGEST_SHOWN = 80;

function fault(field: string, value: unknown, rule: string): SpecFault {
  const shown = JSON.stringify(value) ?? 'nothing';
  return { field, value: shown.length > LONGEST_SHOWN ? `${shown.slice(0, LONGEST_SHOWN)}…` : shown, rule };
}

function empty(value: unknown): boolean {
  return value === undefined || value === null || value === '';
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isEffect(value: unknown): boolean {
  return value === 'NoSchedule' || value === 'PreferNoSchedule' || value === 'NoExecute';
}

function isSeconds(value: unknown): boolean {
  return typeof value === 'number' && Number.isInteger(value) && Math.abs(value) <= 2 ** 53;
}

function isDnsLabel(text: string): boolean {
  return text.length <= 63 && /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/.test(text);
}

function isSubdomain(text: string): boolean {
  return (
    text.length <= 253 &&
    text.split('.').every((part) => part.length > 0 && /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/.test(part))
  );
}

function isLabelValue(value: unknown): boolean {
  return typeof value === 'string' && (value === '' || isLabelName(value));
}

function isLabelName(text: string): boolean {
  return text.length <= 63 && /^[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$/.test(text);
}

function isLabelKey(value: unknown): boolean {
  if (typeof value !== 'string') return false;
  const slash = value.indexOf('/');
  if (slash < 0) return isLabelName(value);
  return isSubdomain(value.slice(0, slash)) && isLabelName(value.slice(slash + 1));
}
