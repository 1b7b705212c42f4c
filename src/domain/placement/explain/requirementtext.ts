import { escaped } from '../../../runtime/vocabulary/json.js';
import { holds, isComparison } from '../../comparison.js';
import type { Requirement } from '../../selectors.js';
import type { SourcedRequirement, Unmet } from '../select/rules.js';
import { otherSource, type UnmatchedPredicate } from '../select/unmatched.js';

/** Requirements and values as text, in the syntax of selectors. */

/** The most characters of an expression in a text. */
const LONGEST_EXPRESSION = 120;
/** Characters that need no quotes: those of labels, and some more. */
const PLAIN = /^[A-Za-z0-9][A-Za-z0-9._/:@+-]*$/;

/** `label tier in (gold, silver)`, `claim platform="Google Cloud"`, `label !tier`, `claim cost < 0.35`. */
export function requirementText({ source, requirement }: SourcedRequirement): string {
  return `${source} ${source === 'expression' ? expressionText(requirement) : selectorText(requirement)}`;
}

/**
 * What was found and what is wanted: `label tier=silver, wanted tier=gold`, `no label tier, wanted tier=gold`,
 * `claim cost, wanted < 0.35, found 0.4`.
 */
export function unmetText(unmet: Unmet, wants = 'wanted'): string {
  const { source, requirement, found } = unmet;
  if (source === 'expression') return `${requirementText(unmet)}, ${wants} true, ${foundText(unmet)}`;
  const key = wordText(requirement.key);
  const threshold = thresholdText(requirement);
  if (threshold !== undefined)
    return found === undefined
      ? `no ${source} ${key}, ${wants} ${threshold}`
      : `${source} ${key}, ${wants} ${threshold}, ${foundText(unmet)}`;
  const there = found === undefined ? `no ${source} ${key}` : `${source} ${key}=${wordText(found)}`;
  return `${there}, ${wants} ${selectorText(requirement)}`;
}

/**
 * `not found`, `found silver`; of a value that cannot be compared, `found "n/a" (not a number)`; of an expression `found false`,
 * `found error: no such key: env`.
 */
export function foundText({ source, requirement: { operator, threshold }, found }: Unmet): string {
  if (found === undefined) return 'not found';
  if (source === 'expression') return `found ${printable(found)}`;
  if (threshold === undefined || !isComparison(operator) || holds(operator, found, threshold) !== undefined)
    return `found ${wordText(found)}`;
  return `found ${quotedText(found)} (not a ${threshold.kind === 'version' ? 'version' : 'number'})`;
}

/** What a terminal may take for a command, or shows in another order than it stands. JSON leaves these as they are. */
const UNPRINTABLE = /[\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;

/** The word itself, in JSON quotes unless it consists of the characters of a label; without control characters. */
export function wordText(word: string): string {
  if (PLAIN.test(word)) return word;
  return quotedText(word);
}

function quotedText(word: string): string {
  return JSON.stringify(word).replace(UNPRINTABLE, escaped);
}

/** A text that stands in an object, without line breaks and control characters. */
export function printable(text: string): string {
  return text.replace(/\p{Cc}/gu, escaped).replace(UNPRINTABLE, escaped);
}

/** An expression without line breaks, cut when long. */
function expressionText({ key }: Requirement): string {
  const text = printable(key.replace(/\s+/g, ' ').trim());
  return text.length <= LONGEST_EXPRESSION ? text : `${text.slice(0, LONGEST_EXPRESSION)}…`;
}

const SIGNS = { Gt: '>', Ge: '>=', Lt: '<', Le: '<=' } as const;

/** `< 0.35`; undefined unless the requirement compares. The text of a threshold needs no quotes. */
function thresholdText({ operator, values }: Requirement): string | undefined {
  return isComparison(operator) ? `${SIGNS[operator]} ${values.join('')}` : undefined;
}

function selectorText(requirement: Requirement): string {
  const { key, operator, values } = requirement;
  const [word, list] = [wordText(key), values.map(wordText)];
  switch (operator) {
    case 'In':
      return list.length === 1 ? `${word}=${list.join('')}` : `${word} in (${list.join(', ')})`;
    case 'NotIn':
      return list.length === 1 ? `${word}!=${list.join('')}` : `${word} notin (${list.join(', ')})`;
    case 'Exists':
      return word;
    case 'DoesNotExist':
      return `!${word}`;
    default:
      return `${word} ${thresholdText(requirement) ?? ''}`;
  }
}

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
