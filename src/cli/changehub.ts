import type { TargetConfig } from '../runtime/flags/target.js';
import { ManagedClusters } from '../api/resources.js';
import { isFailure } from '../runtime/errors.js';
import { withHub, type Hub } from './hub.js';
import { PROGRAM } from './program.js';
import { answer, type Answer } from './terminal/answer.js';
import { printAnswer } from './terminal/print.js';
import { linesText, RefusedError } from '../answers/output.js';

/** Of a command that changes a hub. */
export type ChangeConfig = TargetConfig & { readonly command: string };

/** Runs a command that changes a hub; returns the exit code: 1, and one line on standard error, for any error. */
export function changeHub(config: ChangeConfig, work: (hub: Hub) => Promise<Answer>): Promise<number> {
  return answer(config.command, () => withHub(config, config.source, (hub) => workOn(config, hub, work)));
}

/** An answer of these lines, and that the command has done what it should. */
export function done(...lines: readonly string[]): Answer {
  return { text: linesText(lines), exitCode: 0 };
}

/** For a command that prints by itself while it works on a hub. */
export const ownPrinting = {
  onHub: (config: ChangeConfig, work: (hub: Hub) => Promise<void>): Promise<number> =>
    changeHub(config, async (hub) => {
      await work(hub);
      return done();
    }),
  print: printAnswer,
};

async function workOn(config: ChangeConfig, hub: Hub, work: (hub: Hub) => Promise<Answer>): Promise<Answer> {
  try {
    return await work(hub);
  } catch (error) {
    if (!isFailure(error, 'ResourceMissing') || !error.call.resource.endsWith(`.${ManagedClusters.group}`)) throw error;
    throw new RefusedError(notInstalledLine(error.call.resource, config.source, hub.kubeconfig), { cause: error });
  }
}

/** The flags of the source are repeated: without them the command would check another server. */
function notInstalledLine(
  resource: string,
  { kubeconfig, context: named }: TargetConfig['source'],
  { server, context }: Hub['kubeconfig'],
): string {
  const flags = Object.entries({ kubeconfig, context: named }).flatMap(([name, value]) =>
    value === undefined ? [] : [` --${name} ${value}`],
  );
  const check = `${PROGRAM} check --pre${flags.join('')}`;
  return `multicluster-engine is not installed on ${server} (context ${context}), which does not serve ${resource}; before you install it there: ${check}`;
}
