import { otherSource, type UnmatchedPredicate } from '../select/unmatched.js';
import type { SourcedRequirement } from '../select/rules.js';
import { requirementText, wordText } from './requirementtext.js';

/** `predicate 0: no candidate has label teir`. */
export function unmatchedText({ index, unmatched }: UnmatchedPredicate): string {
  switch (unmatched.kind) {
    case 'Contradiction': {
      const [first = '', ...others] = unmatched.requirements.map(requirementText);
      return `predicate ${index} can match no cluster: ${first} contradicts ${others.join(' and ')}`;
    }
    case 'OtherSource': {
      const { source, requirement } = unmatched.requirement;
      const key = wordText(requirement.key);
      return `predicate ${index}: no candidate has ${source} ${key}, but some have a ${otherSource(source)} of that name`;
    }
    case 'KeyAbsent': {
      const { source, requirement } = unmatched.requirement;
      return `predicate ${index}: no candidate has ${source} ${wordText(requirement.key)}`;
    }
    case 'RequirementUnmet':
      return `predicate ${index}: no candidate matches ${requirementText(unmatched.requirement)}${versionHint(unmatched.requirement)}`;
    case 'NotTogether':
      return `predicate ${index}: each requirement is met by some candidate, but no candidate meets all`;
  }
}

/** The threshold of a version is written `v1.30`: `1.30` is a quantity, which no version is compared with. */
function versionHint({ source, requirement: { key, threshold, values } }: SourcedRequirement): string {
  const isMeant = source === 'claim' && key === 'kubernetes-version' && threshold?.kind === 'quantity';
  return isMeant ? `, which is no version: did you mean v${values.join('')}?` : '';
}
