import path from 'node:path';
import { readHubInput, type InputOptions } from './input.js';
import { checkHub } from './hub.js';
import { checkExitCode, checkText } from './text.js';
import { checkBefore, readPreInput } from './pre.js';
import type { CheckResult } from './result.js';
import { packageRoot } from '../../runtime/process/build.js';
import type { CheckConfig } from './flags.js';
import { serverVersion } from '../../runtime/client/serverversion.js';
import { readManifests } from '../../runtime/manifests.js';
import { answer, isColored } from '../terminal/answer.js';
import { withHub, type Hub } from '../hub.js';

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
