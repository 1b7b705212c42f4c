import { escapeUnseen, hasUnseen } from '../wire/unseen.js';

/** Commands to copy. They run in a shell: a name of somebody else must stay one word of it. */

const PLAIN = /^[\w@%+=:,./-]+$/;
/** The words as a command of a POSIX shell; undefined where one of them holds what a terminal may act on. */
export function commandText(words: readonly string[]): string | undefined {
  if (words.some(hasUnseen)) return undefined;
  return words.map((word) => (PLAIN.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`)).join(' ');
}

/** A text of the fleet as it is shown: without characters that are not seen, or that turn the others around. */
export const shown = escapeUnseen;

/** As {@link shown}; line breaks stay. */
export function shownLines(text: string): string {
  return text.split('\n').map(shown).join('\n');
}
