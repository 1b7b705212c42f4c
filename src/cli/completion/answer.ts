/** Values of cobra's ShellCompDirective, which kubectl and the scripts understand. */
const FILES = 0;
const NO_FILES = 4;

/** The answer to `__complete`: a word a line, and as the last line the directive after a colon. */
export function completionAnswer(
  words: readonly string[],
  { prefix, files }: { readonly prefix: string; readonly files: boolean },
): string {
  const fitting = words.filter((word) => word.startsWith(prefix));
  return [...fitting, `:${files ? FILES : NO_FILES}`].map((line) => `${line}\n`).join('');
}
