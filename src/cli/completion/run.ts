import { liveNames, namesWithin } from './names.js';
import { COMPLETION_SCRIPTS } from './scripts.js';
import type { CompleteConfig, CompletionConfig } from './flags.js';
import { PROGRAM } from '../program.js';
import { systemClock } from '../../runtime/clock.js';
import { printAnswer, withOutput } from '../terminal/print.js';

/** cobra's ShellCompDirectiveDefault and ShellCompDirectiveNoFileComp, which kubectl and the scripts understand. */
const DIRECTIVE_DEFAULT = 0;
const DIRECTIVE_NO_FILE_COMP = 4;
/** A shell waits this long for words, from the start of the process. */
const LONGEST_MS = 1_000;

/** Prints the script of a shell, or the words that it asks for; returns the exit code: 0 when they are printed. */
export function runCompletion(config: CompletionConfig | CompleteConfig): Promise<number> {
  return withOutput(`${PROGRAM} completion`, async () => {
    printAnswer(await textOf(config));
    return 0;
  });
}

async function textOf(config: CompletionConfig | CompleteConfig): Promise<string> {
  if (config.command === 'completion') return COMPLETION_SCRIPTS[config.shell];
  const { live, words } = config;
  // The monotonic clock of a process starts with it.
  const left = LONGEST_MS - systemClock.monotonic();
  const names =
    live === undefined ? [] : await namesWithin(systemClock, left, (signal) => namesOf(config, live, signal));
  return completionAnswer([...words, ...names], config);
}

/** Loads the client of the API server only where it is needed: most of a start is spent on it. */
async function namesOf(config: CompleteConfig, live: string, signal: AbortSignal): Promise<readonly string[]> {
  const { source, allNamespaces } = config;
  if (live === 'contexts') {
    const { contextNames } = await import('../../runtime/kubeconfig/kubeconfig.js');
    return contextNames(source.kubeconfig === undefined ? {} : { path: source.kubeconfig });
  }
  const { withHub } = await import('../hub.js');
  return withHub({ ...config, command: 'completion' }, source, ({ client, namespace }) =>
    liveNames(client, live, { namespace: allNamespaces ? undefined : namespace(), signal }),
  );
}

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
