/** Commands to copy. They run in a shell: a name of somebody else must stay one word of it. */

const PLAIN = /^[\w@%+=:,./-]+$/;
/** A terminal may take these for commands, or shows them in another order than they stand. */
const UNSAFE = /[\p{Cc}\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/u;

/** The words as a command of a POSIX shell; undefined where one of them holds what a terminal may act on. */
export function commandText(words: readonly string[]): string | undefined {
  if (words.some((word) => UNSAFE.test(word))) return undefined;
  return words.map((word) => (PLAIN.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`)).join(' ');
}

/** A text of the fleet as it is shown: without characters that are not seen, or that turn the others around. */
export function shown(text: string): string {
  return text.replace(new RegExp(UNSAFE, 'gu'), (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** As {@link shown}; line breaks stay. */
export function shownLines(text: string): string {
  return text.split('\n').map(shown).join('\n');
}
