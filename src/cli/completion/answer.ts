/** cobra's ShellCompDirectiveDefault and ShellCompDirectiveNoFileComp, which kubectl and the scripts understand. */
const DIRECTIVE_DEFAULT = 0;
const DIRECTIVE_NO_FILE_COMP = 4;

/**
 * The answer to `__complete`: the words that begin with `prefix`, one a line, and as the last line the directive after a
 * colon. `files`: the shell completes names of files where no word fits.
 */
export function completionAnswer(
  words: readonly string[],
  { prefix, files }: { readonly prefix: string; readonly files: boolean },
): string {
  const matching = words.filter((word) => word.startsWith(prefix));
  return [...matching, `:${files ? DIRECTIVE_DEFAULT : DIRECTIVE_NO_FILE_COMP}`].map((line) => `${line}\n`).join('');
}
