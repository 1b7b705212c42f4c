import path from 'node:path';
import { readHubFacts, readPreFacts, type FactOptions } from '../../cli/check/facts.js';
import { checkHub } from '../../cli/check/hub.js';
import { checkExitCode, checkText } from '../../cli/check/output.js';
import { checkBefore } from '../../cli/check/pre.js';
import type { CheckResult } from '../../cli/check/result.js';
import { packageRoot } from '../../config/config.js';
import type { CheckConfig } from '../../config/inspect.js';
import { serverVersion } from '../../kube/client/serverversion.js';
import { readManifests } from '../../kube/manifests/manifests.js';
import { systemClock } from '../../runtime/clock.js';
import { answer, isColored } from './answer.js';
import { withHub, type Hub } from './hub.js';

/** Prints the checks; returns the exit code: 1 when one failed, 3 when one could not be done. */
export function runCheck(config: CheckConfig): Promise<number> {
  return answer('check', async () => {
    const { source, output, pre } = config;
    const results = await withHub(config, source, (hub) => resultsOf(config, hub));
    const text = checkText(results, { output, pre, colored: isColored(config) });
    return { text, exitCode: checkExitCode(results) };
  });
}

async function resultsOf(config: CheckConfig, { client, transport, namespace }: Hub): Promise<readonly CheckResult[]> {
  const { version, operatorNamespace } = config;
  const options: FactOptions = {
    now: systemClock.now(),
    version,
    operatorNamespace,
    namespace: config.namespace,
    fallback: namespace,
    definitions: readManifests(path.join(packageRoot(), 'crds')),
  };
  if (!config.pre) return checkHub(await readHubFacts(client, options));
  return checkBefore(await readPreFacts(client, options, await serverVersion(transport)));
}
