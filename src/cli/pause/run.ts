import { changeHub, done } from '../changehub.js';
import type { PauseConfig } from './flags.js';
import { changePause } from './pause.js';

/** Freezes a decision, or ends that; returns the exit code. */
export function runPause(config: PauseConfig): Promise<number> {
  return changeHub(config, async ({ client, namespace, now }) => {
    const { command, placement, dryRun } = config;
    const request = { command, placement, dryRun, namespace: namespace(), now: await now() };
    return done(...(await changePause(client, request)));
  });
}
