import { FLEET_GROUP } from '../../api/resources.js';
import { ID_CLAIM } from '../agent/report/claims.js';

/** The names of claims and labels that Open Cluster Management (OCM) reserves, and what they are here. */

const RESERVED = 'open-cluster-management.io';
/** The claims that agents here publish by a name of their own, by the name that they have in OCM. */
const TRANSLATED: ReadonlyMap<string, string> = new Map(
  ['kubeversion', 'platform', 'product', 'region'].map((one) => [`${one}.${RESERVED}`, `${one}.${FLEET_GROUP}`]),
);
/** The value of what OCM does not know, where an agent here publishes no claim. */
const UNKNOWN = 'Other';
/** The claims that have this value. */
const HAS_UNKNOWN = /^(?:platform|product)\./;
const ADAPTER_ONLY = 'clusters that the adapter reads have it, and no others';
const NAMES_IN_TEXT =
  /(?<![\w.-])(?:(?:[\w-]+\.)*(?:open-cluster-management|openshift)\.io(?:\/[\w.-]+)?|id\.k8s\.io)(?![\w.-])/g;

/** The claim by the name that agents here use; undefined for one that they do not publish. */
export function translatedClaim(claim: {
  readonly name: string;
  readonly value: string;
}): { readonly name: string; readonly value: string } | undefined {
  const name = TRANSLATED.get(claim.name);
  return name === undefined || claim.value === UNKNOWN ? undefined : { name, value: claim.value };
}

/** The name of a claim here. */
export function claimName(name: string): string {
  return TRANSLATED.get(name) ?? name;
}

/** What differs for a claim of this name; undefined for one that people have named. */
export function claimDifference(name: string): string | undefined {
  const to = TRANSLATED.get(name);
  if (to !== undefined)
    return `claim ${name} is ${to} here, which agents and the adapter publish${HAS_UNKNOWN.test(name) ? `; a cluster of which OCM says ${UNKNOWN} does not have it` : ''}`;
  if (name === ID_CLAIM) return `claim ${name}: an agent publishes the uid of namespace kube-system, whatever OCM has`;
  return isReserved(name) ? `claim ${name}: ${ADAPTER_ONLY}` : undefined;
}

/** What differs for a label of this key; undefined for one that people have named. */
export function labelDifference(key: string): string | undefined {
  return isReserved(key.split('/')[0] ?? '') ? `label ${key}: ${ADAPTER_ONLY}` : undefined;
}

/** What differs for each name in an expression, which stays as it is. */
export function expressionDifferences(text: string): readonly string[] {
  const names = new Set(text.match(NAMES_IN_TEXT));
  return [...names].flatMap((name) => {
    const difference = name.includes('/') ? labelDifference(name) : claimDifference(name);
    return difference === undefined ? [] : [`${difference}; the expression is not rewritten`];
  });
}

function isReserved(domain: string): boolean {
  return [RESERVED, 'openshift.io'].some((one) => domain === one || domain.endsWith(`.${one}`));
}
