import { apiSource } from '../../runtime/flags/target.js';
import { userCommand } from '../command.js';
import { CLI_FLAGS, refuseArguments } from '../flags.js';
import type { CompleteConfig } from '../commands/completion.js';
import type { Given } from '../../runtime/flags/commands.js';
import type { Completion } from '../../runtime/flags/commandline.js';
import { Flags } from '../../runtime/flags/flags.js';

/** Completion of command lines in a shell: the scripts, and the words that they ask for. */

const SHELLS = ['bash', 'zsh', 'fish'] as const;

export const COMPLETION = userCommand({
  name: 'completion',
  summary: 'Prints a script for a shell, which then completes commands, flags and names.',
  arguments: SHELLS.join('|'),
  flags: {},
  completes: [{ words: SHELLS }],
  build: (_flags, { positional }) => {
    const shell = SHELLS.find((one) => one === positional[0]);
    if (shell !== undefined && positional.length === 1) return { command: 'completion', shell };
    return refuseArguments(positional, `one of ${SHELLS.join(', ')}`);
  },
  run: async (config) => (await import('../commands/completion.js')).runCompletion(config),
});

/** What a shell asks for, with the API server and the namespace that its command line names so far. */
export function complete(
  { words = [], live, files = false, prefix, flags: given }: Completion,
  { version }: Pick<Given, 'version'>,
): CompleteConfig {
  const flags = new Flags(CLI_FLAGS, given);
  return {
    command: '__complete',
    version,
    words,
    live,
    files,
    prefix,
    namespace: flags.find('namespace')?.text,
    allNamespaces: flags.find('all-namespaces')?.text === 'true',
    source: sourceOf(flags),
  };
}

/** The API server of flags that may be wrong: then that of the kubeconfig's current context. */
function sourceOf(flags: Flags): CompleteConfig['source'] {
  try {
    return apiSource(flags);
  } catch {
    return { kind: 'api', kubeconfig: undefined, context: undefined, impersonate: undefined };
  }
}
