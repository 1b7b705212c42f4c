import { completionAnswer } from '../../cli/completion/answer.js';
import { liveNames, namesWithin } from '../../cli/completion/names.js';
import { COMPLETION_SCRIPTS } from '../../cli/completion/scripts.js';
import type { CompleteConfig, CompletionConfig, LiveNames } from '../../config/completion.js';
import { systemClock } from '../../runtime/clock.js';
import { printAnswer } from '../usage.js';

/** A shell waits this long for words, from the start of the process. */
const LONGEST_MS = 1_000;

/** Prints the script of a shell, or the words that it asks for; always ends with 0. */
export async function runCompletion(config: CompletionConfig | CompleteConfig): Promise<number> {
  if (config.command === 'completion') {
    printAnswer(COMPLETION_SCRIPTS[config.shell]);
    return 0;
  }
  const { live, words } = config;
  // The monotonic clock of a process starts with it.
  const left = LONGEST_MS - systemClock.monotonic();
  const names =
    live === undefined ? [] : await namesWithin(systemClock, left, (signal) => namesOf(config, live, signal));
  printAnswer(completionAnswer([...words, ...names], config));
  return 0;
}

/** Loads the client of the API server only where it is needed: most of a start is spent on it. */
async function namesOf(config: CompleteConfig, live: LiveNames, signal: AbortSignal): Promise<readonly string[]> {
  const { source, allNamespaces } = config;
  if (live === 'contexts') {
    const { contextNames } = await import('../../kube/transport/kubeconfig.js');
    return contextNames(source.kubeconfig === undefined ? {} : { path: source.kubeconfig });
  }
  const { withHub } = await import('./hub.js');
  return withHub({ ...config, command: 'completion' }, source, ({ client, namespace }) =>
    liveNames(client, live, { namespace: allNamespaces ? undefined : namespace, signal }),
  );
}
