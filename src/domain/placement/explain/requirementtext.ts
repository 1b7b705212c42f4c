import type { Requirement } from '../../selectors.js';
import type { SourcedRequirement, Unmet } from '../select/rules.js';

/** Requirements and values as text, in the syntax of selectors. */

/** Characters that need no quotes: those of labels, and some more. */
const PLAIN = /^[A-Za-z0-9][A-Za-z0-9._/:@+-]*$/;

/** `label tier in (gold, silver)`, `claim platform="Google Cloud"`, `label !tier`. */
export function requirementText({ source, requirement }: SourcedRequirement): string {
  return `${source} ${selectorText(requirement)}`;
}

/** What was found and what is wanted: `label tier=silver, wanted tier=gold`, `no label tier, wanted tier=gold`. */
export function unmetText({ source, requirement, found }: Unmet, wants = 'wanted'): string {
  const key = wordText(requirement.key);
  const there = found === undefined ? `no ${source} ${key}` : `${source} ${key}=${wordText(found)}`;
  return `${there}, ${wants} ${selectorText(requirement)}`;
}

/** What a terminal may take for a command, or shows in another order than it stands. JSON leaves these as they are. */
const UNPRINTABLE = /[\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;

/** The word itself, in JSON quotes unless it consists of the characters of a label; without control characters. */
export function wordText(word: string): string {
  if (PLAIN.test(word)) return word;
  return JSON.stringify(word).replace(UNPRINTABLE, escaped);
}

/** A text that stands in an object, without line breaks and control characters. */
export function printable(text: string): string {
  return text.replace(/\p{Cc}/gu, escaped).replace(UNPRINTABLE, escaped);
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

function selectorText({ key, operator, values }: Requirement): string {
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
  }
}
