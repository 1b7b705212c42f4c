import { apiSource, CLI_FLAGS, refuseArguments, type CliEnvironment, type ObjectSource } from '../flags.js';
import { Flags, isSwitch, type FlagRows } from '../../runtime/flags/flags.js';

/** Completion of command lines in a shell: the scripts, and the words that they ask for. */

const SHELLS = ['bash', 'zsh', 'fish'] as const;

export type Shell = (typeof SHELLS)[number];

/** The configuration of `multicluster-engine completion`. */
export interface CompletionConfig {
  readonly command: 'completion';
  readonly shell: Shell;
}

/** Names that are read from the API server or from the kubeconfig. */
export type LiveNames = 'placements' | 'managedclusters' | 'managedclustersets' | 'namespaces' | 'contexts';

/** What can follow in a command line: fixed words, and names that have to be read; else the names of files. */
export interface CompleteConfig {
  readonly command: '__complete';
  readonly version: string;
  /** A word and, after a tab, what it means. */
  readonly words: readonly string[];
  readonly live: LiveNames | undefined;
  readonly files: boolean;
  /** The begin of the word that is being typed, and of all that can follow. */
  readonly prefix: string;
  readonly namespace: string | undefined;
  readonly allNamespaces: boolean;
  readonly source: Extract<ObjectSource, { kind: 'api' }>;
}

/** What completion has to know of a command. */
export interface CompletableCommand {
  readonly name: string;
  readonly summary: string;
  readonly flags: FlagRows;
  /** The flags that only some of its actions take, by the name of the action. */
  readonly actionFlags?: Readonly<Record<string, readonly string[]>>;
}

type Suggestion = Partial<Pick<CompleteConfig, 'words' | 'live' | 'files'>>;

export const COMPLETION_ARGUMENTS = SHELLS.join('|');

const PLACEMENT_NAME: readonly Suggestion[] = [{ words: ['placement'] }, { live: 'placements' }];
/** What the arguments of each command can be, by position. */
const ARGUMENTS: Readonly<Record<string, readonly Suggestion[]>> = {
  explain: PLACEMENT_NAME,
  tree: PLACEMENT_NAME,
  release: PLACEMENT_NAME,
  'who-selects': [{ live: 'managedclusters' }],
  cluster: [{ words: ['add', 'remove', 'list'] }, { live: 'managedclusters' }],
  clusterset: [{ words: ['bind'] }, { live: 'managedclustersets' }],
  cordon: [{ live: 'managedclusters' }],
  uncordon: [{ live: 'managedclusters' }],
  drain: [{ live: 'managedclusters' }],
  completion: [{ words: SHELLS }],
};
/** What the values of flags can be, those of one command before those of all. */
const VALUES: Readonly<Record<string, Suggestion>> = {
  'cluster --set': { live: 'managedclustersets' },
  'version --output': { words: ['json'] },
  namespace: { live: 'namespaces' },
  'operator-namespace': { live: 'namespaces' },
  context: { live: 'contexts' },
  cluster: { live: 'managedclusters' },
  clusters: { live: 'managedclusters' },
  output: { words: ['json', 'yaml', 'name', 'wide'] },
  color: { words: ['auto', 'always', 'never'] },
  kubeconfig: { files: true },
  filename: { files: true },
  base: { files: true },
};

/** @throws FlagError for another shell. */
export function completion(positional: readonly string[]): CompletionConfig {
  const shell = SHELLS.find((one) => one === positional[0]);
  if (shell !== undefined && positional.length === 1) return { command: 'completion', shell };
  return refuseArguments(positional, `one of ${SHELLS.join(', ')}`);
}

/**
 * What can follow `typed`, the words after the name of the program; the last of them is being typed, and may be empty. Never
 * throws: a command line that is not complete is often wrong.
 */
export function complete(
  commands: readonly CompletableCommand[],
  typed: readonly string[],
  { version }: Pick<CliEnvironment, 'version'>,
): CompleteConfig {
  const isHelp = typed.length > 1 && typed[0] === 'help';
  const line = isHelp ? typed.slice(1) : typed;
  const last = line.at(-1) ?? '';
  const command = line.length > 1 ? commands.find(({ name }) => name === line[0]) : undefined;
  const before = command === undefined ? [] : line.slice(1, -1);
  const given = givenIn(command?.flags ?? {}, before);
  const suggestion = line.length <= 1 ? { words: commandWords(commands) } : next(command, given, last);
  const flags = new Flags(CLI_FLAGS, given.flags, {});
  return {
    command: '__complete',
    version,
    words: [],
    live: undefined,
    files: false,
    ...(isHelp && last.startsWith('-') ? {} : suggestion),
    prefix: last.startsWith('--') && last.includes('=') ? last.slice(last.indexOf('=') + 1) : last,
    namespace: flags.find('namespace')?.text,
    allNamespaces: flags.find('all-namespaces')?.text === 'true',
    source: sourceOf(flags),
  };
}

interface Given {
  readonly flags: ReadonlyMap<string, string>;
  readonly positional: readonly string[];
  /** The flag whose value is the next word. */
  readonly open: string | undefined;
}

function givenIn(rows: FlagRows, words: readonly string[]): Given {
  const flags = new Map<string, string>();
  const positional: string[] = [];
  let open: string | undefined;
  for (const word of words) {
    if (open !== undefined) {
      flags.set(open, word);
      open = undefined;
      continue;
    }
    const [, name = '', value] = /^--?([^=]+)(?:=(.*))?$/s.exec(word) ?? [];
    const flag = nameOf(rows, name, word.startsWith('--'));
    if (flag === undefined) positional.push(...(word.startsWith('-') ? [] : [word]));
    else if (value !== undefined || isSwitch(rows[flag] ?? { help: '' })) flags.set(flag, value ?? 'true');
    else open = flag;
  }
  return { flags, positional, open };
}

function nameOf(rows: FlagRows, name: string, isLong: boolean): string | undefined {
  return Object.keys(rows).find((one) => (isLong ? one === name : rows[one]?.short === name));
}

function next(command: CompletableCommand | undefined, { positional, open }: Given, last: string): Suggestion {
  if (command === undefined) return {};
  if (open !== undefined) return valuesOf(command, open);
  const [, flag] = /^--([^=]+)=/.exec(last) ?? [];
  if (flag !== undefined) return valuesOf(command, flag);
  if (last.startsWith('-')) return { words: flagWords(command, positional[0] ?? '') };
  return ARGUMENTS[command.name]?.[positional.length] ?? {};
}

/** Those of an action, where the command line names one. */
function flagWords({ flags, actionFlags = {} }: CompletableCommand, action: string): readonly string[] {
  const own = Object.hasOwn(actionFlags, action) ? actionFlags[action] : undefined;
  const others = own === undefined ? [] : Object.values(actionFlags).flat();
  const taken = Object.entries(flags).filter(([name]) => !others.includes(name) || own?.includes(name));
  return taken.map(([name, { help }]) => `--${name}\t${help}`);
}

function valuesOf({ name }: CompletableCommand, flag: string): Suggestion {
  return VALUES[`${name} --${flag}`] ?? VALUES[flag] ?? {};
}

function commandWords(commands: readonly CompletableCommand[]): readonly string[] {
  return commands.map(({ name, summary }) => `${name}\t${summary}`);
}

/** The API server of flags that may be wrong: then that of the kubeconfig's current context. */
function sourceOf(flags: Flags): CompleteConfig['source'] {
  try {
    return apiSource(flags);
  } catch {
    return { kind: 'api', kubeconfig: undefined, context: undefined, impersonate: undefined };
  }
}
