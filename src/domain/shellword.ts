const SAFE = /^[\w@%+=:,./-]+$/;

/** The word for a POSIX shell, in quotes where needed. */
export function shellWord(word: string): string {
  return SAFE.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
