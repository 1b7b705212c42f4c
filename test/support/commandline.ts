import { jest } from '@jest/globals';
import type { AgentConfig } from '../../src/agent/flags.js';
import type { CheckConfig } from '../../src/cli/check/flags.js';
import type { ClusterConfig } from '../../src/cli/cluster/flags.js';
import type { ClusterSetBindConfig } from '../../src/cli/clusterset/flags.js';
import type { CompleteConfig, CompletionConfig } from '../../src/cli/completion/flags.js';
import type { CordonConfig, DrainConfig } from '../../src/cli/maintenance/flags.js';
import type { ExplainConfig } from '../../src/cli/explain/flags.js';
import type { HistoryConfig } from '../../src/cli/history/flags.js';
import type { PauseConfig } from '../../src/cli/pause/flags.js';
import type { PlanConfig } from '../../src/cli/plan/flags.js';
import type { ReleaseConfig } from '../../src/cli/release/flags.js';
import type { StatusConfig } from '../../src/cli/status/flags.js';
import type { TreeConfig } from '../../src/cli/tree/flags.js';
import type { VersionConfig } from '../../src/cli/version/flags.js';
import type { WhoSelectsConfig } from '../../src/cli/whoselects/flags.js';
import type { GatewayConfig } from '../../src/gateway/flags.js';
import type { OperatorConfig } from '../../src/operator/flags.js';
import { readProgram, type Program } from '../../src/runtime/flags/commands.js';
import type { StandaloneConfig } from '../../src/standalone/flags.js';

/** The configuration of one command. */
export type Config =
  | OperatorConfig
  | GatewayConfig
  | AgentConfig
  | StandaloneConfig
  | ExplainConfig
  | HistoryConfig
  | PauseConfig
  | PlanConfig
  | WhoSelectsConfig
  | TreeConfig
  | StatusConfig
  | CheckConfig
  | ReleaseConfig
  | ClusterConfig
  | ClusterSetBindConfig
  | CordonConfig
  | DrainConfig
  | CompletionConfig
  | CompleteConfig
  | VersionConfig;

/** What is printed instead of running a command. */
export interface Usage {
  readonly command: 'usage';
  readonly exitCode: number;
  readonly text: string;
}

/** The program with the table of its commands, which `src/main.ts` starts when it is imported. */
export const program = await new Promise<Program>((resolve, reject) => {
  jest.unstable_mockModule('../../src/cli/start.js', () => ({ start: resolve }));
  import('../../src/main.js').catch(reject);
});

/** Reads a command line as the program does. */
export function readConfig(argv: readonly string[], env: Readonly<Record<string, string | undefined>>): Config | Usage {
  const reading = readProgram(program, argv, env);
  if (reading.kind === 'usage') return { command: 'usage', exitCode: reading.exitCode, text: reading.text };
  return reading.config as Config;
}
