import { hasOrAll, type PolicyRule, urlMatches } from './rules.js';

/**
 * The part of the wanted rules that the own rules do not cover, as rules of one verb and one resource (or path) each.
 */
export function uncoveredRules(own: readonly PolicyRule[], wanted: readonly PolicyRule[]): readonly PolicyRule[] {
  return wanted.flatMap(breakDown).filter((rule) => !own.some((one) => covers(one, rule)));
}

/** The same rights as rules of one verb and one resource (or path) each. */
function breakDown(rule: PolicyRule): readonly PolicyRule[] {
  const names = rule.resourceNames.length === 0 ? [[]] : rule.resourceNames.map((name) => [name]);
  const ofResources = rule.apiGroups.flatMap((group) =>
    rule.resources.flatMap((resource) =>
      rule.verbs.flatMap((verb) =>
        names.map((resourceNames) => ({
          verbs: [verb],
          apiGroups: [group],
          resources: [resource],
          resourceNames,
          nonResourceURLs: [],
        })),
      ),
    ),
  );
  const ofPaths = rule.nonResourceURLs.flatMap((url) =>
    rule.verbs.map((verb) => ({
      verbs: [verb],
      apiGroups: [],
      resources: [],
      resourceNames: [],
      nonResourceURLs: [url],
    })),
  );
  return [...ofResources, ...ofPaths];
}

function covers(owner: PolicyRule, wanted: PolicyRule): boolean {
  const named =
    owner.resourceNames.length === 0 ||
    (wanted.resourceNames.length > 0 && wanted.resourceNames.every((name) => owner.resourceNames.includes(name)));
  return (
    named &&
    wanted.verbs.every((verb) => hasOrAll(owner.verbs, verb)) &&
    wanted.apiGroups.every((group) => hasOrAll(owner.apiGroups, group)) &&
    wanted.resources.every((resource) => coversResource(owner.resources, resource)) &&
    wanted.nonResourceURLs.every((path) => owner.nonResourceURLs.some((url) => urlMatches(url, path)))
  );
}

function coversResource(resources: readonly string[], wanted: string): boolean {
  const slash = wanted.indexOf('/');
  return hasOrAll(resources, wanted) || (slash >= 0 && resources.includes(`*${wanted.slice(slash)}`));
}
