import { uncoveredRules } from './coverage.js';
import { type PolicyRule, readRules } from './rules.js';
import { equal, isArray, isObject, type Json, type JsonObject } from '@multicluster-engine/values/json';
import type { KubeObject } from '@multicluster-engine/values/object';

const AUTOUPDATE = 'rbac.authorization.kubernetes.io/autoupdate';

/**
 * A default role or binding with its missing rules, aggregation selectors, subjects, labels and annotations added.
 * Additions stay. Returns the same object where nothing is missing, or where auto-update is disabled by annotation.
 */
export function repaired(stored: KubeObject, wanted: JsonObject): KubeObject {
  const { metadata } = stored;
  if (isAutoUpdateDisabled(stored)) return stored;
  const meta = isObject(wanted['metadata']) ? wanted['metadata'] : {};
  const next = {
    ...stored,
    ...union(stored, wanted, 'subjects'),
    ...missingRules(stored, wanted),
    ...aggregation(stored, wanted),
    metadata: {
      ...metadata,
      labels: { ...texts(meta['labels']), ...metadata.labels },
      annotations: { ...texts(meta['annotations']), ...metadata.annotations },
    },
  };
  return equal(next, stored) ? stored : next;
}

/** Whether a default binding refers to another role than it must: roleRef is immutable, so the binding is replaced. */
export function refersToOtherRole(stored: KubeObject, wanted: JsonObject): boolean {
  return !isAutoUpdateDisabled(stored) && !equal(stored['roleRef'] ?? null, wanted['roleRef'] ?? null);
}

function isAutoUpdateDisabled({ metadata }: KubeObject): boolean {
  return metadata.annotations?.[AUTOUPDATE] === 'false';
}

function missingRules(stored: KubeObject, wanted: JsonObject): JsonObject {
  if (equal(stored['rules'] ?? null, wanted['rules'] ?? null)) return {};
  const missing = uncoveredRules(readRules(stored['rules']), readRules(wanted['rules']));
  return missing.length === 0 ? {} : { rules: [...list(stored, 'rules'), ...missing.map(ruleJson)] };
}

function ruleJson(rule: PolicyRule): JsonObject {
  return Object.fromEntries(Object.entries(rule).filter(([, values]) => values.length > 0));
}

/** A role without default aggregation keeps its own rules. */
function aggregation(stored: KubeObject, wanted: JsonObject): JsonObject {
  const [before, after] = [stored['aggregationRule'], wanted['aggregationRule']];
  if (!isObject(after)) return before === undefined ? {} : { aggregationRule: undefined };
  const rule = isObject(before) ? before : {};
  return { aggregationRule: { ...rule, ...union(rule, after, 'clusterRoleSelectors') } };
}

/** The list of a key with all required items added; undefined where it has them. */
function union(stored: JsonObject, wanted: JsonObject, key: string): JsonObject {
  const before = list(stored, key);
  const missing = list(wanted, key).filter((one) => !before.some((other) => equal(other, one)));
  return missing.length === 0 ? {} : { [key]: [...before, ...missing] };
}

function list(object: JsonObject, key: string): readonly Json[] {
  const value = object[key];
  return isArray(value) ? value : [];
}

function texts(value: Json | undefined): Readonly<Record<string, string>> {
  return isObject(value)
    ? Object.fromEntries(
        Object.entries(value).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
      )
    : {};
}
