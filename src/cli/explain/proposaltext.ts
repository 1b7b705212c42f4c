import { meantWords } from '../../runtime/vocabulary/nearestword.js';
import { wordText } from '../../domain/placement/explain/requirementtext.js';
import type { Proposal } from './proposals.js';
import type { ExplainReport } from './report.js';
import { fixText, missingRights, missingText } from './rights.js';
import { setsText } from '../whatif/reasons.js';

/** What would help a Placement, as text and for the JSON. */

/** Bindings, and the names of sets that were probably meant. */
export function setLines(proposals: readonly Proposal[], report: ExplainReport): readonly string[] {
  return proposals.flatMap((one): string[] => {
    switch (one.kind) {
      case 'Bind':
        return [`${fixText(one, report)}${one.sets.length === 1 ? '' : `, with one of ${one.sets.join(', ')}`}`];
      case 'Harmful':
        return [`no fix: with a binding of ${one.set}, ${one.loser}`];
      case 'Rename':
        return [`there is no ManagedClusterSet ${wordText(one.set)}${meantWords([one.suggested])}`];
      case 'Label':
        return [];
    }
  });
}

/** `to select edge-1, with cluster set edge bound: kubectl label …`. */
export function labelLines(proposals: readonly Proposal[], report: ExplainReport): readonly string[] {
  return proposals.flatMap((one): string[] => {
    if (one.kind !== 'Label') return [];
    const bound = one.bound.length === 0 ? '' : `, with ${setsText(one.bound)} bound`;
    const missing = missingText(one.rights, report);
    const by = missing === undefined ? '' : `, by somebody who may ${missing}`;
    return [`to select ${wordText(one.cluster)}${bound}${by}: ${one.command}`];
  });
}

/** Field `fixes`, in the order in which to run them. */
export function proposalDocument(one: Proposal, report: ExplainReport): object | undefined {
  switch (one.kind) {
    case 'Bind':
      return { reason: 'NoBinding', clusterSets: one.sets, command: one.command, ...rightsField(one, report) };
    case 'Rename':
      return { reason: 'NoSuchSet', clusterSets: [one.set], suggested: one.suggested };
    case 'Label':
      return { reason: 'NotMatched', cluster: one.cluster, command: one.command, ...rightsField(one, report) };
    case 'Harmful':
      return undefined;
  }
}

function rightsField({ rights }: Extract<Proposal, { rights: unknown }>, report: ExplainReport): object {
  const missing = missingRights(rights, report);
  return missing.length === 0 ? {} : { missingRights: missing };
}
