import { meantWords, nearestWord } from '@multicluster-engine/values/nearestword';
import { overlay, type Change } from '../world/overlay.js';
import { once } from '../world/world.js';
import { readBasis } from '../../domain/placement/stored/basis.js';
import { absentAmong } from '../../domain/placement/explain/membership.js';
import { bestFix, type LabelChanges } from '../../domain/placement/explain/fix.js';
import type { ClusterExplanation } from '../../domain/placement/explain/verdict.js';
import { hasNumbers } from '../../domain/placement/spec/predicates.js';
import { wordText } from '../../domain/placement/explain/requirementtext.js';
import { labelChanges } from './harm.js';
import { setsText } from './lines.js';
import { explainReport, type ExplainReport } from './report.js';
import { chosen } from '../../domain/placement/select/decision.js';

/** What would help a Placement: commands from which no other Placement loses a cluster, in the order in which to run them. */

export type Proposal =
  /** A binding of one of these sets. */
  | { readonly kind: 'Bind'; readonly sets: readonly string[]; readonly command: string }
  /** It is not proposed, since another Placement would lose a cluster by it: `shop/api would lose a`. */
  | { readonly kind: 'Harmful'; readonly set: string; readonly harm: string }
  /** A set that ClusterSets or a binding names, or that the decision was made with, and that does not exist. */
  | { readonly kind: 'Rename'; readonly set: string; readonly suggested: string }
  /** `bound`: the sets whose binding it needs. */
  | {
      readonly kind: 'Label';
      readonly cluster: string;
      readonly labels: LabelChanges;
      readonly command: string;
      readonly bound: readonly string[];
    };

type Bind = Extract<Proposal, { kind: 'Bind' }>;

/** The most sets that are named where the user can choose one. */
const MOST_NAMES = 10;
/** As many clusters are proposed at most. */
const MOST_CLUSTERS = 10;

/** All that is missing, as far as it is known: first the sets, then the labels that clusters lack with these sets. */
export function proposalsOf(report: ExplainReport): readonly Proposal[] {
  return once(report, 'proposals', () => {
    const sets = setProposals(report);
    const bound = sets.flatMap((one) => (one.kind === 'Bind' && one.sets.length === 1 ? one.sets : []));
    const { namespace } = report.explanation.placement;
    const changes = bound.map((set) => bindingChange(set, namespace));
    return [...sets, ...labelProposals(changes.length === 0 ? report : withChanges(report, changes), report, bound)];
  });
}

/**
 * What would bring in sets that bring in no cluster. The names are those of the sets that the caller can read; without this right
 * there are no proposals.
 */
function setProposals(report: ExplainReport): readonly Proposal[] {
  const { absentSets, explanation, world } = report;
  const { rules } = explanation.placement;
  const eligibility = explanation.decision?.eligibility;
  if (eligibility === undefined || world.withheld.some(({ resource }) => resource === 'managedclustersets')) return [];
  const staying = world.objects.managedclustersets.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  const names = staying.map(({ metadata }) => metadata.name).sort();
  // Where a budget may hold clusters, the sets are remembered that the decision was made with: none of them may be missing.
  const remembered = readBasis(explanation.placement.status)?.clusterSets ?? [];
  const lost = rules.requested.length > 0 ? [] : remembered.filter((set) => !eligibility.eligible.includes(set));
  const missing = [
    ...absentSets,
    ...absentAmong(lost, eligibility).filter(({ set }) => !absentSets.some((one) => one.set === set)),
  ];
  const found = missing.flatMap(({ set, why }): Proposal[] => {
    if (names.includes(set)) return why === 'NoBinding' ? [bindOf(set, report)] : [];
    const near = nearestWord(set, new Map(names.map((name) => [name, 1])));
    return near === undefined ? [] : [{ kind: 'Rename', set, suggested: near.word }];
  });
  const isUnbound = eligibility.bound.length === 0 && rules.requested.length === 0 && rules.problem === undefined;
  return isUnbound && found.length === 0 && names.length > 0 ? choiceOf(names, report) : found;
}

function bindOf(set: string, report: ExplainReport): Exclude<Proposal, { kind: 'Label' | 'Rename' }> {
  const { namespace } = report.explanation.placement;
  const harm = report.harm.ofObjects([bindingChange(set, namespace)], namespace);
  if (harm !== undefined) return { kind: 'Harmful', set, harm };
  const command = `kubectl mce clusterset bind ${set} -n ${namespace}`;
  return { kind: 'Bind', sets: [set], command };
}

/** For a Placement of all bound sets in a namespace without one: one of the first sets that take nothing from others. */
function choiceOf(names: readonly string[], report: ExplainReport): readonly Proposal[] {
  const { namespace } = report.explanation.placement;
  const binds = names.slice(0, MOST_NAMES).map((name) => bindOf(name, report));
  const offered = binds.filter((one): one is Bind => one.kind === 'Bind');
  if (offered.length < 2) return offered.length === 0 ? binds : offered;
  const sets = offered.flatMap((one) => one.sets);
  return [{ kind: 'Bind', sets, command: `kubectl mce clusterset bind SET -n ${namespace}` }];
}

function bindingChange(set: string, namespace: string): Change {
  const object = { metadata: { name: set, namespace }, spec: { clusterSet: set } };
  return { kind: 'apply', resource: 'managedclustersetbindings', object };
}

/** The same Placement with these labels of a cluster. */
export function withLabelsOf(report: ExplainReport, cluster: string, labels: LabelChanges): ExplainReport {
  return withChanges(report, labelChanges(cluster, labels));
}

function withChanges(report: ExplainReport, changes: readonly Change[]): ExplainReport {
  const { world, others } = report;
  const { namespace, name } = report.explanation.placement;
  const beyond = { ...others, world: overlay(others.world, changes) };
  return explainReport(overlay(world, changes), namespace, name, beyond) ?? report;
}

/**
 * Labels that would help an unsatisfied Placement, for as many of the nearest clusters as are missing, unless a word of it is
 * probably misspelt.
 */
function labelProposals(report: ExplainReport, asIs: ExplainReport, bound: readonly string[]): readonly Proposal[] {
  const { explanation, satisfaction, predicates, isOffered, input, harm } = report;
  if (satisfaction.status !== 'False' || predicates.some(({ hints }) => hints.length > 0)) return [];
  const found: Proposal[] = [];
  let then = report;
  for (const one of explanation.nearest.slice(0, MOST_CLUSTERS)) {
    if (found.length >= missingClusters(explanation)) break;
    const fix = bestFix(one, input, isOffered);
    if (fix === undefined || harm.ofLabels(one.name, fix.labels) !== undefined) continue;
    const { name: cluster } = one;
    // Also by a cluster that is proposed before. Each try explains the whole fleet, and most Placements need none.
    const next = mayStayOut(report) ? withLabelsOf(then, cluster, fix.labels) : undefined;
    if (next !== undefined && !(comesIn(cluster, next) && selectedIn(next) > selectedIn(then))) continue;
    then = next ?? then;
    const needed = isMember(one, asIs) ? [] : one.sets.filter((set) => bound.includes(set));
    found.push({ kind: 'Label', cluster, labels: fix.labels, command: fix.command, bound: needed });
  }
  return found;
}

/** Whether a cluster that matches may stay out although too few are selected: a predicate is full, spread allows no more, … */
function mayStayOut({ explanation: { placement, readable }, input }: ExplainReport): boolean {
  const { rules } = placement;
  const isLimited = hasNumbers(rules) || rules.spread.length > 0 || rules.budget?.maxAdditions !== undefined;
  return isLimited || rules.paused || input.snapshot.timedSets.length > 0 || !readable.decisions;
}

function comesIn(cluster: string, { explanation }: ExplainReport): boolean {
  return explanation.clusters.some(({ name, verdict }) => name === cluster && verdict === 'Selected');
}

function selectedIn({ explanation }: ExplainReport): number {
  return explanation.clusters.filter(({ verdict }) => verdict === 'Selected').length;
}

function isMember({ name }: ClusterExplanation, { explanation }: ExplainReport): boolean {
  return explanation.clusters.some((one) => one.name === name && one.sets.length > 0);
}

/** How many more clusters would come in. With held clusters a decision can be full and short at once: none is needed then. */
function missingClusters({ decision: decided }: ExplainReport['explanation']): number {
  if (decided?.wanted === undefined) return 1;
  return decided.wanted - chosen(decided).length;
}

/** `to select edge-1, with cluster set edge bound: kubectl label …`. */
export function proposalText(one: Proposal): string {
  switch (one.kind) {
    case 'Bind':
      return `fix: ${one.command}${one.sets.length === 1 ? '' : `, with one of ${one.sets.join(', ')}`}`;
    case 'Harmful':
      return `no fix: with a binding of ${one.set}, ${one.harm}`;
    case 'Rename':
      return `there is no ManagedClusterSet ${wordText(one.set)}${meantWords([one.suggested])}`;
    case 'Label': {
      const bound = one.bound.length === 0 ? '' : `, with ${setsText(one.bound)} bound`;
      return `to select ${wordText(one.cluster)}${bound}: ${one.command}`;
    }
  }
}

/** Field `fixes`, in the order in which to run them. */
export function proposalDocument(one: Exclude<Proposal, { kind: 'Harmful' }>) {
  const { kind } = one;
  if (kind === 'Rename') return { reason: 'NoSuchSet' as const, clusterSets: [one.set], suggested: one.suggested };
  const { command } = one;
  if (kind === 'Bind') return { reason: 'NoBinding' as const, clusterSets: one.sets, command };
  return { reason: 'NotMatched' as const, cluster: one.cluster, command };
}
