import { ManagedClusters, Placements } from '../api/resources.js';
import { PATH_NAME, PATH_NAME_RULE } from '../runtime/vocabulary/names.js';
import { FlagError, type FlagRows, type Flags, type FlagValue, type Suggestion } from '../runtime/flags/flags.js';
import { parseTemplate, TemplateError, type Template } from '@multicluster-engine/values/jsonpath';
import type { Given } from '../runtime/flags/commands.js';
import type { OutputFormat } from '../answers/output.js';
import {
  apiSource,
  namespaceIn,
  namespaceRow,
  TARGET_FLAGS,
  type ApiSource,
  type TargetConfig,
} from '../runtime/flags/target.js';
import { nameAfterKind, nameAmong } from '../answers/meant.js';
import type { TopologyKey } from '../domain/placement/spec/spread.js';

/** What all commands for users have in common: where objects come from, which namespaces, and how the output looks. */

/** Where the objects come from: an API server, or files. */
export type ObjectSource =
  | ApiSource
  | {
      readonly kind: 'files';
      /** Files and folders; `-` is standard input. */
      readonly paths: readonly string[];
    };

export interface CliConfig extends Omit<TargetConfig, 'source'> {
  readonly allNamespaces: boolean;
  readonly output: OutputFormat;
  /** `auto`: on a terminal. */
  readonly color: 'auto' | 'always' | 'never';
  readonly source: ObjectSource;
}

/** What a command that reads files alone does not use, or what reads them. */
const OFFLINE: readonly string[] = ['offline'];
const FORMATS = ['json', 'yaml', 'name', 'wide'] as const;
const JSONPATH = 'jsonpath=';
/** As kubectl lists them. */
const ALLOWED = [...FORMATS, 'jsonpath'].sort().join(',');
const COLORS = ['auto', 'always', 'never'] as const;

/** What completes names. */
export const CLUSTER_NAMES: Suggestion = { live: 'managedclusters' };
export const SET_NAMES: Suggestion = { live: 'managedclustersets' };
/** The arguments of a command about one Placement, and of one about one cluster. */
export const OF_PLACEMENT = {
  arguments: 'placement NAME',
  completes: [{ words: ['placement'] }, { live: 'placements' }],
};
export const OF_CLUSTER = { arguments: 'CLUSTER', completes: [CLUSTER_NAMES] };

export const OWN_NAMESPACE = 'that of the context, else default';

/** The flags of every command that shows objects. */
export const CLI_FLAGS: FlagRows = {
  namespace: { ...namespaceRow('namespace of the objects', OWN_NAMESPACE), excludes: ['all-namespaces'] },
  'all-namespaces': { short: 'A', help: 'objects of all namespaces', default: 'false' },
  output: {
    value: 'FORMAT',
    short: 'o',
    help: 'json, yaml, name, wide or jsonpath=TEMPLATE, as for kubectl',
    defaultText: 'text',
    completes: { words: [...FORMATS, JSONPATH] },
  },
  ...Object.fromEntries(Object.entries(TARGET_FLAGS).map(([name, row]) => [name, { ...row, excludes: OFFLINE }])),
  offline: { help: 'read the objects of -f, and send no request', default: 'false', needs: ['filename'] },
  filename: {
    value: 'FILE',
    short: 'f',
    list: true,
    help: 'with --offline: a file or folder; - is standard input',
    needs: OFFLINE,
    completes: { files: true },
  },
  color: {
    value: 'WHEN',
    help: 'auto, always or never; auto: on a terminal, unless NO_COLOR is set or TERM is dumb',
    default: 'auto',
    completes: { words: COLORS },
  },
};

/** Some rows of {@link CLI_FLAGS}, by name. */
export function rowsOf(...names: readonly string[]): FlagRows {
  return Object.fromEntries(Object.entries(CLI_FLAGS).filter(([name]) => names.includes(name)));
}

/** For a command that shows a whole hub, unless one namespace is named. */
export const HUB_FLAGS: FlagRows = {
  ...CLI_FLAGS,
  namespace: { ...namespaceRow('only this namespace', 'all namespaces'), excludes: ['all-namespaces'] },
  'all-namespaces': { short: 'A', help: 'objects of all namespaces, as without -n', default: 'false' },
};

/** The configuration that all commands for users have. @throws FlagError with the flag, its value and the rule */
export function cliConfig(flags: Flags, { env, version }: Given, source = sourceOf(flags)): CliConfig {
  return {
    version,
    namespace: namespaceIn(flags),
    allNamespaces: flags.get('all-namespaces').bool(),
    ...outputConfig(flags, env),
    source,
  };
}

/** How a command prints. @throws FlagError with the flag, its value and the rule */
export function outputConfig(flags: Flags, env: Given['env']): Pick<CliConfig, 'output' | 'color'> {
  const color = flags.get('color').oneOf(COLORS);
  const plain = color === 'auto' && ((env['NO_COLOR'] ?? '') !== '' || isDumb(env));
  return { output: outputIn(flags.find('output')), color: plain ? 'never' : color };
}

/** Whether the terminal, if there is one, shows control sequences as text. */
export function isDumb(env: Given['env']): boolean {
  return env['TERM'] === 'dumb';
}

/** As kubectl takes it, and refuses it. */
function outputIn(given: FlagValue | undefined): OutputFormat {
  const text = given?.text ?? '';
  if (text === '') return 'text';
  if (text === 'jsonpath' || text === JSONPATH) throw new FlagError('template format specified but no template given');
  if (text.startsWith(JSONPATH)) return templateIn(text.slice(JSONPATH.length));
  const format = FORMATS.find((one) => one === text.toLowerCase());
  if (format !== undefined) return format;
  const unknown = `unable to match a printer suitable for the output format ${JSON.stringify(text)}`;
  throw new FlagError(`${unknown}, allowed formats are: ${ALLOWED}`);
}

function templateIn(text: string): Template {
  try {
    return parseTemplate(text);
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    throw new FlagError(`error parsing jsonpath ${text}, ${error.message}`);
  }
}

/** A claim or label whose values clusters are grouped by. @throws FlagError with the flag, its value and the rule. */
export function topologyIn(flag: FlagValue | undefined): TopologyKey | undefined {
  if (flag === undefined) return undefined;
  const text = flag.matching(/^(claim|label)\/./, 'claim/KEY or label/KEY');
  return { source: text.startsWith('claim/') ? 'claim' : 'label', key: text.slice('claim/'.length) };
}

/** The name of a cluster set is the value of a label. */
export const SET_NAME = /^(?=.{1,63}$)[A-Za-z0-9]([-\w.]*[A-Za-z0-9])?$/;

/** The name in `placement NAME` or `placement/NAME`. @throws FlagError; `usage`: the arguments that are wanted. */
export function placementIn(positional: readonly string[], usage = OF_PLACEMENT.arguments): string {
  const name = nameAfterKind(positional, Placements);
  return name === undefined ? refuseArguments(positional, usage) : checkedName(name, 'a Placement');
}

/** The name in `CLUSTER`, `mcl CLUSTER` or `mcl/CLUSTER`. @throws FlagError; `usage`: the arguments that are wanted. */
export function nameIn(positional: readonly string[], usage = OF_CLUSTER.arguments): string {
  const name = nameAmong(positional, ManagedClusters);
  return name === undefined || name === '' ? refuseArguments(positional, usage) : checkedName(name, 'a cluster');
}

/** The cluster that a flag names, as {@link nameIn}. @throws FlagError with the flag, its value and the rule. */
export function clusterIn(flag: FlagValue): string {
  return clusterNamed(flag, `the name of one cluster: ${PATH_NAME_RULE}, without commas`);
}

/** The clusters that a flag lists, each as {@link clusterIn}. @throws FlagError with the flag, the wrong name and the rule. */
export function clustersIn(flag: FlagValue): readonly string[] {
  const rule = `names of clusters with commas between them: ${PATH_NAME_RULE}`;
  return flag.list().map((name) => clusterNamed(flag.with(name), rule));
}

function clusterNamed(flag: FlagValue, rule: string): string {
  return flag.with(nameAmong([flag.text], ManagedClusters) ?? '').matching(ONE_NAME, rule);
}

const ONE_NAME = /^(?!\.{1,2}$)[^/%,]+$/;

function checkedName(name: string, owner: string): string {
  if (PATH_NAME.test(name)) return name;
  throw new FlagError(`the name of ${owner} must be ${PATH_NAME_RULE}, got ${JSON.stringify(name)}`);
}

/** Throws the FlagError for missing or wrong arguments. `usage`: the arguments that the command takes. */
export function refuseArguments(positional: readonly string[], usage: string): never {
  if (positional.length === 0) throw new FlagError(`missing arguments; want ${usage}`);
  throw new FlagError(`wrong arguments ${JSON.stringify(positional.join(' '))}; want ${usage}`);
}

function sourceOf(flags: Flags): ObjectSource {
  if (!flags.get('offline').bool()) return apiSource(flags);
  return { kind: 'files', paths: flags.get('filename').list() };
}

/** Examples of how long something may take. */
export const DURATIONS = '30s, 10m or 1h';

/** The exit codes of a command that reads objects and shows something about them. */
export const READING_CODES =
  '0: the answer is complete; 1: an error; 3: not everything could be read, and the output says what';
