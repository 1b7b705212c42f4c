import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { Flags, readFlags, FlagError, isSwitch, variableOf, type FlagRows } from './flags.js';
import { gateway, GATEWAY_FLAGS, type GatewayConfig } from './gateway.js';
import { operator, OPERATOR_FLAGS, type OperatorConfig } from './operator.js';
import { standalone, STANDALONE_FLAGS, type StandaloneConfig } from './standalone.js';

export type { ControllerName, ManagerConfig as HubConfig, OperatorConfig } from './operator.js';

const PROGRAM = 'multicluster-engine';
/** A text to print instead of running a command: to standard output with code 0, or to standard error with code 2. */
export interface Usage {
  readonly command: 'usage';
  readonly exitCode: 0 | 2;
  readonly text: string;
}

export type Config = OperatorConfig | GatewayConfig | StandaloneConfig;
type Environment = Readonly<Record<string, string | undefined>>;

interface CommandRow {
  readonly name: string;
  readonly summary: string;
  readonly flags: FlagRows;
  readonly build: (flags: Flags, env: Environment) => Config;
}

/** The commands. */
const COMMANDS: readonly CommandRow[] = [
  {
    name: 'operator',
    summary: 'Runs the controllers against a Kubernetes API server.',
    flags: OPERATOR_FLAGS,
    build: (flags) => operator(flags, version()),
  },
  {
    name: 'gateway',
    summary: 'Serves the HTTPS interface in front of a Kubernetes API server.',
    flags: GATEWAY_FLAGS,
    build: (flags, env) => gateway(flags, { env, version: version(), execArgv: process.execArgv }),
  },
  {
    name: 'standalone',
    summary: 'Starts a Kubernetes API of its own with the operator in it, for trying things out.',
    flags: STANDALONE_FLAGS,
    build: (flags) => standalone(flags, version()),
  },
];

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
    if (error instanceof FlagError) return { command: 'usage', exitCode: 2, text: `${PROGRAM}: ${error.message}\n` };
    throw error;
  }
}

function interpret(argv: readonly string[], env: Environment): Config | Usage {
  const [first, ...rest] = argv;
  if (first === undefined) throw new FlagError(`no command; want one of: ${commandNames()} (see ${PROGRAM} --help)`);
  if (first === '--help' || first === '-h') return print(overview());
  if (first === '--version') return print(`${version()}\n`);
  const command = COMMANDS.find((row) => row.name === first);
  if (command === undefined) {
    const what = first.startsWith('-') ? 'flag' : 'command';
    throw new FlagError(`unknown ${what} ${JSON.stringify(first)}; want one of the commands: ${commandNames()}`);
  }
  const given = readFlags(command.flags, rest, `${PROGRAM} ${command.name}`);
  if (given === 'help') return print(help(command));
  if (given === 'version') return print(`${version()}\n`);
  return Object.freeze(command.build(new Flags(command.flags, given, env), env));
}

function print(text: string): Usage {
  return { command: 'usage', exitCode: 0, text };
}

function commandNames(): string {
  return COMMANDS.map((row) => row.name).join(', ');
}

function overview(): string {
  const lines = COMMANDS.map((row) => `  ${row.name.padEnd(12)} ${row.summary}`);
  const hint = `${PROGRAM} COMMAND --help lists the flags of a command; --version prints the version.`;
  return `Usage: ${PROGRAM} COMMAND [flags]\n\nCommands:\n${lines.join('\n')}\n\n${hint}\n`;
}

function help(command: CommandRow): string {
  const lines = [`Usage: ${PROGRAM} ${command.name} [flags]`, '', command.summary, ''];
  lines.push(
    'Flags, with the environment variable below (the flag has precedence, an empty variable counts as unset):',
  );
  for (const [name, row] of Object.entries(command.flags)) {
    const usage = isSwitch(row) ? `--${name}` : `--${name}=${row.value}`;
    lines.push(`  ${usage.padEnd(48)} ${row.help}`);
    lines.push(`    ${variableOf(name, row).padEnd(46)} default: ${row.default ?? row.defaultText ?? 'none'}`);
  }
  lines.push(`  ${'--help, -h'.padEnd(48)} prints this help`, `  ${'--version'.padEnd(48)} prints the version`);
  return `${lines.join('\n')}\n`;
}

/** The folder of package.json above this file, which holds crds/ and deploy/. */
export function packageRoot(): string {
  let folder = path.dirname(fileURLToPath(import.meta.url));
  while (!existsSync(path.join(folder, 'package.json'))) {
    const up = path.dirname(folder);
    if (up === folder) throw new Error('package.json was not found in any folder above the program');
    folder = up;
  }
  return folder;
}

/** Release of this program. */
export function version(): string {
  const file = path.join(packageRoot(), 'package.json');
  const content: unknown = JSON.parse(readFileSync(file, 'utf8'));
  const release = typeof content === 'object' && content !== null && 'version' in content ? content.version : undefined;
  if (typeof release !== 'string') throw new Error(`${file}: version must be a string, got ${JSON.stringify(release)}`);
  return release;
}
