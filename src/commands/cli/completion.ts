import { ManagedClusters, Namespaces, Placements } from '../../api/resources.js';
import { completionAnswer } from '../../cli/completion/answer.js';
import { COMPLETION_SCRIPTS } from '../../cli/completion/scripts.js';
import type { CompleteConfig, CompletionConfig, LiveNames } from '../../config/completion.js';
import type { ReadClient } from '../../kube/client/client.js';
import { systemClock } from '../../runtime/clock.js';
import { printAnswer } from '../usage.js';

/** A shell waits this long for words, from the start of the process. */
const LONGEST_MS = 1_000;
const NONE: readonly string[] = [];

/** Prints the script of a shell, or the words that it asks for; always ends with 0. */
export async function runCompletion(config: CompletionConfig | CompleteConfig): Promise<number> {
  if (config.command === 'completion') {
    printAnswer(COMPLETION_SCRIPTS[config.shell]);
    return 0;
  }
  const names = config.live === undefined ? NONE : await liveNames(config, config.live);
  printAnswer(completionAnswer([...config.words, ...names], config));
  return 0;
}

/** None when there is no answer in time, or an error: a shell has no place for it. */
async function liveNames(config: CompleteConfig, live: LiveNames): Promise<readonly string[]> {
  const aborting = new AbortController();
  const late = new Promise<readonly string[]>((resolve) => {
    // The monotonic clock of a process starts with it.
    systemClock.after(LONGEST_MS - systemClock.monotonic(), () => {
      aborting.abort();
      resolve(NONE);
    });
  });
  return Promise.race([read(config, live, aborting.signal).catch(() => NONE), late]);
}

async function read(config: CompleteConfig, live: LiveNames, signal: AbortSignal): Promise<readonly string[]> {
  const { source } = config;
  if (live === 'contexts') {
    const { contextNames } = await import('../../kube/transport/kubeconfig.js');
    return contextNames(source.kubeconfig === undefined ? {} : { path: source.kubeconfig });
  }
  const { withHub } = await import('./hub.js');
  return withHub({ ...config, command: 'completion' }, source, ({ client, namespace }) =>
    namesOf(client, live, { namespace: config.allNamespaces ? undefined : namespace, signal }),
  );
}

async function namesOf(
  client: ReadClient,
  live: Exclude<LiveNames, 'contexts'>,
  { namespace, signal }: { readonly namespace: string | undefined; readonly signal: AbortSignal },
): Promise<readonly string[]> {
  const type = { placements: Placements, managedclusters: ManagedClusters, namespaces: Namespaces }[live];
  const within = type.namespaced ? namespace : undefined;
  const found = await client.list(type, within, { metadataOnly: true, signal });
  return [...new Set(found.map(({ metadata }) => metadata.name))].sort();
}
