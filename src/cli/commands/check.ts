import path from 'node:path';
import { readHubInput, type InputOptions } from '../../answers/check/input.js';
import { checkHub } from '../../answers/check/hub.js';
import { checkBefore, readPreInput } from '../../answers/check/pre.js';
import { checkReport, type CheckResult, type CheckStatus } from '../../answers/check/result.js';
import { INCOMPLETE, shownAnswer, type ShownOptions, painted, type Color } from '../../answers/output.js';
import { packageRoot } from '../../runtime/process/build.js';
import { serverVersion } from '../../runtime/client/serverversion.js';
import { readManifests } from '../../runtime/manifests.js';
import { answer, isColored } from '../terminal/answer.js';
import { withHub, type Hub, type ChangeConfig } from '../hub.js';
import type { CliConfig } from '../flags.js';

type CheckConfig = ChangeConfig &
  Pick<CliConfig, 'output' | 'color'> & { readonly pre: boolean; readonly operatorNamespace: string };

/** Prints the checks; returns the exit code: 1 when one failed, 3 when one could not be done. */
export function runCheck(config: CheckConfig): Promise<number> {
  return answer('check', async () => {
    const { source, output, pre } = config;
    const results = await withHub(config, source, (hub) => resultsOf(config, hub));
    const text = checkText(results, { output, pre, colored: isColored(config) });
    return { text, exitCode: checkExitCode(results) };
  });
}

async function resultsOf(config: CheckConfig, hub: Hub): Promise<readonly CheckResult[]> {
  const { client, transport, namespace, now } = hub;
  const { version, operatorNamespace } = config;
  const options: InputOptions = {
    now: await now(),
    version,
    operatorNamespace,
    namespace: config.namespace,
    fallback: namespace,
    definitions: readManifests(path.join(packageRoot(), 'crds')),
  };
  if (!config.pre) return checkHub(await readHubInput(client, options));
  return checkBefore(await readPreInput(client, options, await serverVersion(transport)));
}

export interface CheckOptions extends ShownOptions {
  /** Whether these are the checks before an installation. */
  readonly pre: boolean;
}

const MARKS: Readonly<Record<CheckStatus, { readonly text: string; readonly color: Color }>> = {
  Passed: { text: '✓', color: 'green' },
  Warning: { text: '!', color: 'yellow' },
  Failed: { text: '×', color: 'red' },
  Unknown: { text: '?', color: 'yellow' },
};

export function checkText(checks: readonly CheckResult[], options: CheckOptions): string {
  const report = checkReport(checks, options.pre);
  return shownAnswer(report, options, {
    lines: ({ colored }) => checks.map((one) => lineOf(one, colored)),
    names: () => checks.flatMap(({ name, status }) => (status === 'Failed' || status === 'Unknown' ? [name] : [])),
  });
}

/** 1 when a check failed; else 3 when one is not known, since what was not checked is not well; 0 with warnings too. */
export function checkExitCode(results: readonly CheckResult[]): number {
  const isAny = (wanted: CheckStatus): boolean => results.some(({ status }) => status === wanted);
  if (isAny('Failed')) return 1;
  return isAny('Unknown') ? INCOMPLETE : 0;
}

function lineOf({ status, message, remedy }: CheckResult, colored: boolean): string {
  return `${painted(MARKS[status], colored)} ${message}${remedy === undefined ? '' : `: ${remedy}`}`;
}
