import { PRODUCT } from '../../api/names.js';
import { ManagedClusters, ManagedClusterSets, Placements } from '../../api/resources.js';
import type { ReadClient } from '../../runtime/client/client.js';
import type { ApiSource } from '../../runtime/flags/target.js';
import { systemClock, within, type Clock } from '../../runtime/clock.js';
import { Namespaces } from '../../runtime/vocabulary/kinds.js';
import { PROGRAM } from '../program.js';
import { printAnswer, withOutput } from '../terminal/print.js';

/** cobra's ShellCompDirectiveDefault and ShellCompDirectiveNoFileComp, which kubectl and the scripts understand. */
const DIRECTIVE_DEFAULT = 0;
const DIRECTIVE_NO_FILE_COMP = 4;
/** A shell waits this long for words, from the start of the process. */
const LONGEST_MS = 1_000;

type Config = CompleteConfig | { readonly command: 'completion'; readonly shell: keyof typeof COMPLETION_SCRIPTS };

/** What can follow in a command line: fixed words, and names that have to be read; else the names of files. */
export interface CompleteConfig {
  readonly command: '__complete';
  readonly version: string;
  /** A word and, after a tab, what it means. */
  readonly words: readonly string[];
  /** Plural name of the resource whose names are read, or `contexts`, of the kubeconfig. */
  readonly live: string | undefined;
  readonly files: boolean;
  /** The begin of the word that is being typed, and of all that can follow. */
  readonly prefix: string;
  readonly namespace: string | undefined;
  readonly allNamespaces: boolean;
  readonly source: ApiSource;
}

/** Prints the script of a shell, or the words that it asks for; returns the exit code: 0 when they are printed. */
export function runCompletion(config: Config): Promise<number> {
  return withOutput(`${PROGRAM} completion`, async () => {
    printAnswer(await textOf(config));
    return 0;
  });
}

async function textOf(config: Config): Promise<string> {
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

interface NameScope {
  /** Undefined: all namespaces. */
  readonly namespace: string | undefined;
  readonly signal: AbortSignal;
}

/** The kinds whose names are completed, by their plural names: `live` in the rows of the commands. */
const TYPES = [Placements, ManagedClusters, ManagedClusterSets, Namespaces];

/** The names of the objects of a kind, by one LIST of their metadata; sorted, each once. @throws ApiError. */
export async function liveNames(
  client: ReadClient,
  plural: string,
  { namespace, signal }: NameScope,
): Promise<readonly string[]> {
  const type = TYPES.find((one) => one.plural === plural);
  if (type === undefined) throw new Error(`no names of ${plural} are read`);
  const found = await client.list(type, type.namespaced ? namespace : undefined, { metadataOnly: true, signal });
  return [...new Set(found.map(({ metadata }) => metadata.name))].sort();
}

/**
 * What `read` resolves to; nothing when it fails, or takes more than `ms`: its signal then fires. A shell has no place for an
 * error.
 */
export async function namesWithin(
  clock: Clock,
  ms: number,
  read: (signal: AbortSignal) => Promise<readonly string[]>,
): Promise<readonly string[]> {
  const late = new AbortController();
  const names = read(late.signal);
  if (await within(clock, ms, names)) return names;
  late.abort();
  return [];
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

const FUNCTION = `_${PRODUCT.replaceAll('-', '_')}`;

/** For bash 3.2 and newer. Words are taken from the line itself, since bash splits them at `=`. */
const BASH = `# bash completion for ${PRODUCT}: source <(${PRODUCT} completion bash)
${FUNCTION}() {
  local line typed="\${COMP_LINE:0:COMP_POINT}" directive=""
  local -a words
  read -ra words <<<"$typed"
  [[ $typed == *[[:space:]] ]] && words+=("")
  COMPREPLY=()
  while IFS= read -r line; do
    if [[ $line == :* ]]; then directive=$line; else COMPREPLY+=("\${line%%$'\\t'*}"); fi
  done < <("\${words[0]}" __complete "\${words[@]:1}" 2>/dev/null)
  if [[ \${#COMPREPLY[@]} -eq 0 && $directive == ":0" ]]; then compopt -o default 2>/dev/null; fi
}
complete -F ${FUNCTION} ${PRODUCT}
`;

const ZSH = `#compdef ${PRODUCT}
# zsh completion for ${PRODUCT}: source <(${PRODUCT} completion zsh)
${FUNCTION}() {
  local -a lines names
  lines=("\${(@f)$("\${words[1]}" __complete "\${(@)words[2,$CURRENT]}" 2>/dev/null)}")
  names=("\${(@)\${(@)lines:#:*}%%$'\\t'*}")
  compset -P '*='
  if [[ -n "\${names[1]}" ]]; then
    compadd -a names
  elif [[ "\${lines[-1]}" == ":0" ]]; then
    _files
  fi
}
compdef ${FUNCTION} ${PRODUCT}
`;

const FISH = `# fish completion for ${PRODUCT}: ${PRODUCT} completion fish | source
function _${FUNCTION}
  set -l typed (commandline -opc)
  set -l program $typed[1]
  set -e typed[1]
  set -l last (commandline -ct)
  set -l prefix (string match -r -- '^--[^=]+=' $last)
  for line in (command $program __complete $typed "$last" 2>/dev/null)
    string match -q -- ':*' $line; and continue
    echo "$prefix$line"
  end
end
complete -c ${PRODUCT} -f -a '(_${FUNCTION})'
complete -c ${PRODUCT} -l filename -s f -r -F
complete -c ${PRODUCT} -l kubeconfig -r -F
`;

const COMPLETION_SCRIPTS = { bash: BASH, zsh: ZSH, fish: FISH } as const;
