import { meantText } from './runtime/vocabulary/nearestword.js';
import { agent, AGENT_FLAGS, type AgentConfig } from './agent/flags.js';
import { version } from './runtime/process/build.js';
import { VERSION_FLAGS, versionText } from './cli/version/version.js';
import {
  complete,
  completion,
  COMPLETION_ARGUMENTS,
  type CompleteConfig,
  type CompletionConfig,
} from './cli/completion/flags.js';
import { PROGRAM, type Usage } from './cli/program.js';
import { exitCodesOf } from './cli/flags.js';
import { explain, EXPLAIN_ARGUMENTS, EXPLAIN_FLAGS, type ExplainConfig } from './cli/explain/flags.js';
import {
  checkTogether,
  Flags,
  readCommandLine,
  readFlags,
  type ParsedCommandLine,
  FlagError,
  usageOf,
  variableOf,
  type FlagRow,
  type FlagRows,
} from './runtime/flags/flags.js';
import { FLEET_COMMANDS, type FleetConfig } from './cli/cluster/flags.js';
import { gateway, GATEWAY_FLAGS, type GatewayConfig } from './gateway/flags.js';
import * as inspect from './cli/inspect/flags.js';
import { plan, PLAN_FLAGS, type PlanConfig } from './cli/plan/flags.js';
import { operator, OPERATOR_FLAGS, type OperatorConfig } from './operator/flags.js';
import { PROFILE_FLAGS, profileConfig, type ProfileConfig } from './runtime/flags/profile.js';
import {
  release as releaseCommand,
  RELEASE_ARGUMENTS,
  RELEASE_FLAGS,
  type ReleaseConfig,
} from './cli/release/flags.js';
import { standalone, STANDALONE_FLAGS, type StandaloneConfig } from './standalone/flags.js';

const OLDEST_NODE = { major: 20, minor: 19 };
/** The configuration of one command. */
export type Config = ProfileConfig & CommandConfig;

type CommandConfig =
  | OperatorConfig
  | GatewayConfig
  | AgentConfig
  | StandaloneConfig
  | ExplainConfig
  | PlanConfig
  | inspect.WhoSelectsConfig
  | inspect.TreeConfig
  | inspect.StatusConfig
  | inspect.CheckConfig
  | ReleaseConfig
  | FleetConfig
  | CompletionConfig
  | CompleteConfig;
type Environment = Readonly<Record<string, string | undefined>>;

interface CommandRow {
  readonly name: string;
  readonly summary: string;
  readonly flags: FlagRows;
  readonly build: (flags: Flags, env: Environment, positional: readonly string[]) => CommandConfig | Usage;
  /** A command for users: with these arguments before its flags, and without variables for these. */
  readonly arguments?: string;
  /** The flags that only some of the actions in `arguments` have, by the name of the action: its help leaves out the others. */
  readonly actionFlags?: Readonly<Record<string, readonly string[]>>;
}

/** The commands with the flags of their own. */
const ROWS: readonly CommandRow[] = [
  {
    name: 'operator',
    summary: 'Runs the controllers against a Kubernetes API server.',
    flags: OPERATOR_FLAGS,
    build: (flags, env) => operator(flags, { env, version: version() }),
  },
  {
    name: 'gateway',
    summary: 'Serves the HTTPS interface in front of a Kubernetes API server.',
    flags: GATEWAY_FLAGS,
    build: (flags, env) => gateway(flags, { env, version: version(), execArgv: process.execArgv }),
  },
  {
    name: 'agent',
    summary: 'Runs in a managed cluster: joins the hub, renews its Lease there and reports its status.',
    flags: AGENT_FLAGS,
    build: (flags) => agent(flags, { version: version() }),
  },
  {
    name: 'standalone',
    summary: 'Starts a local hub to try the product: a Kubernetes API with the operator, and no cluster.',
    flags: STANDALONE_FLAGS,
    build: (flags, env) => standalone(flags, { env, version: version() }),
  },
  {
    name: 'explain',
    summary: 'Explains why each cluster is selected by a Placement or not. Read-only.',
    arguments: EXPLAIN_ARGUMENTS,
    flags: EXPLAIN_FLAGS,
    build: (flags, env, positional) => explain(flags, { env, positional, version: version() }),
  },
  {
    name: 'plan',
    summary: 'Shows what a change would do to the decisions of all Placements. Read-only.',
    arguments: '',
    flags: PLAN_FLAGS,
    build: (flags, env, positional) => plan(flags, { env, positional, version: version() }),
  },
  {
    name: 'who-selects',
    summary: 'Lists the Placements that select a cluster, and what they select without it. Read-only.',
    arguments: inspect.WHO_SELECTS_ARGUMENTS,
    flags: inspect.WHO_SELECTS_FLAGS,
    build: (flags, env, positional) => inspect.whoSelects(flags, { env, positional, version: version() }),
  },
  {
    name: 'tree',
    summary: 'Shows the selected clusters of Placements by cluster set. Read-only.',
    arguments: inspect.TREE_ARGUMENTS,
    flags: inspect.TREE_FLAGS,
    build: (flags, env, positional) => inspect.tree(flags, { env, positional, version: version() }),
  },
  {
    name: 'status',
    summary: 'Counts components, Placements by phase and clusters by health. Read-only.',
    arguments: '',
    flags: inspect.STATUS_FLAGS,
    build: (flags, env, positional) => inspect.status(flags, { env, positional, version: version() }),
  },
  {
    name: 'check',
    summary: 'Checks an installation: definitions, engine, Leases, certificate, fleet. Read-only.',
    arguments: '',
    flags: inspect.CHECK_FLAGS,
    build: (flags, env, positional) => inspect.check(flags, { env, positional, version: version() }),
  },
  {
    name: 'release',
    summary: 'Releases clusters that are held in a decision, or kept out of it, by an annotation of the Placement.',
    arguments: RELEASE_ARGUMENTS,
    flags: RELEASE_FLAGS,
    build: (flags, env, positional) => releaseCommand(flags, { env, positional, version: version() }),
  },
  ...FLEET_COMMANDS.map((row) => ({
    ...row,
    build: (flags: Flags, env: Environment, positional: readonly string[]) =>
      row.build(flags, { env, positional, version: version() }),
  })),
  {
    name: 'completion',
    summary: 'Prints a script for a shell, which then completes commands, flags and names.',
    arguments: COMPLETION_ARGUMENTS,
    flags: {},
    build: (_flags, _env, positional) => completion(positional),
  },
  {
    name: 'version',
    summary: 'Prints the version, and the commit that it was built from.',
    arguments: '',
    flags: VERSION_FLAGS,
    build: (flags, _env, positional) => print(versionText(flags, positional)),
  },
];

/** The commands. */
const COMMANDS = ROWS.map((row): CommandRow => ({ ...row, flags: { ...row.flags, ...PROFILE_FLAGS } }));

/**
 * Reads the command line and the environment; no other code does. A flag has precedence over its variable; an empty variable
 * counts as unset.
 */
export function readConfig(
  argv: readonly string[] = process.argv.slice(2),
  env: Environment = process.env,
): Config | Usage {
  try {
    return interpret(argv, env);
  } catch (error) {
    if (!(error instanceof FlagError)) throw error;
    return { command: 'usage', exitCode: usageExitCode(argv), text: `${PROGRAM}: ${error.message}\n` };
  }
}

/** What to print with a Node older than `engines` of package.json, of which npm only warns; undefined where it is new enough. */
export function tooOldNode(release: string): Usage | undefined {
  const [major = 0, minor = 0] = release.split('.').map(Number);
  if (major > OLDEST_NODE.major || (major === OLDEST_NODE.major && minor >= OLDEST_NODE.minor)) return undefined;
  const needed = `needs Node ${OLDEST_NODE.major}.${OLDEST_NODE.minor} or newer`;
  return { command: 'usage', exitCode: 1, text: `${PROGRAM}: ${needed}, this is ${release} (${process.execPath})\n` };
}

/** 2 for a command that runs a server. Else 1, also for an unknown command: `plan` ends with 2 where something changes. */
function usageExitCode(argv: readonly string[]): 1 | 2 {
  const command = commandOf(argv);
  return command !== undefined && command.arguments === undefined ? 2 : 1;
}

function interpret(argv: readonly string[], env: Environment): Config | Usage {
  const [first, ...rest] = argv;
  if (first === undefined) throw new FlagError(`no command; want one of: ${commandNames()} (see ${PROGRAM} --help)`);
  if (first === '--help' || first === '-h') return print(overview());
  if (first === '--version') return print(`${version()}\n`);
  if (first === '__complete') return complete(COMMANDS, rest, { version: version() });
  if (first === 'help') return interpret([...rest.slice(0, 2), '--help'], env);
  const command = commandOf(argv);
  if (command === undefined) {
    const what = first.startsWith('-') ? 'flag' : 'command';
    const meant =
      meantText(
        first,
        COMMANDS.map(({ name }) => name),
      ) || `; want one of the commands: ${commandNames()}`;
    throw new FlagError(`unknown ${what} ${JSON.stringify(first)}${meant}`);
  }
  const given = readArguments(command, rest);
  if (given.kind === 'help') return print(help(command, rest[0]));
  if (given.kind === 'version') return print(`${version()}\n`);
  const variables = command.arguments === undefined ? env : {};
  const flags = new Flags(command.flags, given.line.flags, variables);
  checkTogether(command.flags, flags);
  return Object.freeze({ ...command.build(flags, env, given.line.positional), ...profileConfig(flags) });
}

function commandOf([name]: readonly string[]): CommandRow | undefined {
  return COMMANDS.find((row) => row.name === name);
}

function readArguments(command: CommandRow, argv: readonly string[]): ParsedCommandLine {
  const read = command.arguments === undefined ? readFlags : readCommandLine;
  return read(command.flags, argv, `${PROGRAM} ${command.name}`);
}

function print(text: string): Usage {
  return { command: 'usage', exitCode: 0, text };
}

function commandNames(): string {
  return COMMANDS.map((row) => row.name).join(', ');
}

function overview(): string {
  const lines = COMMANDS.map((row) => `  ${row.name.padEnd(12)} ${row.summary}`);
  const hint = `${PROGRAM} help COMMAND lists the flags of a command.`;
  return `Usage: ${PROGRAM} COMMAND [flags]\n\nCommands:\n${lines.join('\n')}\n\n${hint}\n`;
}

/** `action`: the first argument, which need not be an action of the command. */
function help(command: CommandRow, action = ''): string {
  const { name: subcommand, summary, actionFlags = {} } = command;
  const own = Object.hasOwn(actionFlags, action) ? actionFlags[action] : undefined;
  const all = command.arguments;
  const positional = own === undefined ? all : all?.split('|').find((one) => one.split(' ')[0] === action);
  const limited = own === undefined ? [] : Object.values(actionFlags).flat();
  const flags = Object.entries(command.flags).filter(([name]) => !limited.includes(name) || own?.includes(name));
  const usage = ['Usage:', PROGRAM, subcommand, positional ?? '', '[flags]'].filter((word) => word !== '').join(' ');
  const title =
    positional === undefined
      ? 'Flags, with the environment variable below (the flag has precedence, an empty variable counts as unset):'
      : 'Flags:';
  const lines = [usage, '', summary, '', title];
  for (const [name, row] of flags) {
    lines.push(`  ${flagUsage(name, row).padEnd(48)} ${row.help}`);
    const variable = positional === undefined ? variableOf(name, row) : '';
    lines.push(`    ${variable.padEnd(46)} default: ${row.default ?? row.defaultText ?? 'none'}`);
  }
  lines.push(`  ${'--help, -h'.padEnd(48)} prints this help`, `  ${'--version'.padEnd(48)} prints the version`);
  if (positional !== undefined) lines.push('', `Exit codes: ${exitCodesOf(subcommand)}`);
  return `${lines.join('\n')}\n`;
}

function flagUsage(name: string, row: FlagRow): string {
  const short = row.short === undefined ? '' : `-${row.short}, `;
  return `${short}${usageOf(name, row)}`;
}
