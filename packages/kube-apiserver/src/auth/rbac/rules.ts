import type { Attributes } from '../authorizer.js';
import { isArray, isObject, type Json } from '@multicluster-engine/values/json';
import type { KubeObject } from '@multicluster-engine/values/object';

/** A rule of a Role or ClusterRole; missing lists are empty. */
export interface PolicyRule {
  readonly verbs: readonly string[];
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames: readonly string[];
  readonly nonResourceURLs: readonly string[];
}

const known = new WeakMap<KubeObject, readonly PolicyRule[]>();

/** The rules of a stored Role or ClusterRole. */
export function rulesOf(role: KubeObject): readonly PolicyRule[] {
  const cached = known.get(role);
  if (cached !== undefined) return cached;
  const rules = readRules(role['rules']);
  known.set(role, rules);
  return rules;
}

/** Parses rules; skips invalid items. */
export function readRules(value: Json | undefined): readonly PolicyRule[] {
  return isArray(value) ? value.flatMap((one) => (isObject(one) ? [readRule(one)] : [])) : [];
}

function readRule(rule: { readonly [key: string]: Json | undefined }): PolicyRule {
  return {
    verbs: strings(rule['verbs']),
    apiGroups: strings(rule['apiGroups']),
    resources: strings(rule['resources']),
    resourceNames: strings(rule['resourceNames']),
    nonResourceURLs: strings(rule['nonResourceURLs']),
  };
}

export function strings(value: Json | undefined): readonly string[] {
  return isArray(value) ? value.filter((one) => typeof one === 'string') : [];
}

/**
 * Whether a rule allows an action. `*` matches everything; a star before `/scale` matches that subresource of all
 * resources.
 */
export function allows(rule: PolicyRule, wanted: Attributes): boolean {
  if (!hasOrAll(rule.verbs, wanted.verb)) return false;
  if ('path' in wanted) return rule.nonResourceURLs.some((url) => urlMatches(url, wanted.path));
  const { group, resource, subresource, name } = wanted;
  if (!hasOrAll(rule.apiGroups, group)) return false;
  const whole = subresource === '' ? resource : `${resource}/${subresource}`;
  const named = rule.resourceNames.length === 0 || rule.resourceNames.includes(name);
  return (
    named && (hasOrAll(rule.resources, whole) || (subresource !== '' && rule.resources.includes(`*/${subresource}`)))
  );
}

export function hasOrAll(list: readonly string[], wanted: string): boolean {
  return list.includes('*') || list.includes(wanted);
}

/** Whether a non-resource URL of a rule, which may end with `*`, matches a path. */
export function urlMatches(url: string, path: string): boolean {
  return url === '*' || url === path || (url.endsWith('*') && path.startsWith(url.replace(/\*+$/, '')));
}
