import { pathText, type Change } from './forms.js';
import type { Subject } from './subjects.js';

/**
 * The single changes that take the last cluster out of a decision, of specs without a disruption budget, which holds them. In each
 * the spec itself says that no cluster is wanted, and the policy of warnings says so to whoever applies it, or the page of the kind
 * does. Any other change that does it is a fault.
 */
const EMPTYING: readonly { readonly subject: RegExp; readonly path: RegExp; readonly why: string }[] = [
  { subject: /^(every|some|bounded)$/, path: /^(predicates\[0\]\.)?numberOfClusters$/, why: '0 selects none' },
  { subject: /^(every|some)$/, path: /^ClusterSets\b/, why: 'no set of these names is bound' },
  { subject: /^every$/, path: /^predicates\b/, why: 'no cluster matches' },
  { subject: /^set$/, path: /^clusterSelector\b/, why: 'no cluster is in the set' },
];

/** Whether it is known, and right, that the change may take the last cluster out of a decision. */
export function mayEmpty({ name }: Subject, { path }: Change): boolean {
  return EMPTYING.some((one) => one.subject.test(name) && one.path.test(pathText(path)));
}
