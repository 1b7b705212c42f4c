import { apiSource, namespaceIn, type TargetConfig } from '../../runtime/flags/target.js';
import { PLACEMENT_ARGUMENTS, placementIn, rowsOf, type CliConfig } from '../flags.js';
import type { Command } from '../../runtime/flags/commands.js';

/** The configuration of `multicluster-engine pause` and `resume`. */
export interface PauseConfig extends TargetConfig, Pick<CliConfig, 'namespace'> {
  readonly command: 'pause' | 'resume';
  readonly placement: string;
  /** Show what would happen, and change nothing. */
  readonly dryRun: boolean;
}

const ARGUMENTS = 'placement NAME';

export const PAUSE = command('pause', 'Freezes the decision of a Placement: nothing comes in and nothing leaves.');
export const RESUME = command('resume', 'Ends a pause: shows what changes, and lets the decision follow again.');

function command(name: PauseConfig['command'], summary: string): Command<PauseConfig> {
  return {
    name,
    summary,
    arguments: ARGUMENTS,
    flags: {
      'dry-run': { help: 'show what would happen, and change nothing', default: 'false' },
      ...rowsOf('namespace', 'kubeconfig', 'context', 'as'),
    },
    completes: PLACEMENT_ARGUMENTS,
    build: (flags, { positional, version }) => ({
      command: name,
      version,
      namespace: namespaceIn(flags),
      placement: placementIn(positional, ARGUMENTS),
      dryRun: flags.get('dry-run').bool(),
      source: apiSource(flags),
    }),
  };
}
