import { expect } from '@jest/globals';

import type { ControlPlane } from '@multicluster-engine/kube-apiserver/testing/controlplane/plane';
import { crashPoints, Crashes, describePoint, Trace } from './crashes.js';
import { Dice } from '@multicluster-engine/kube-apiserver/testing/random';
import { ScenarioRig } from '../../rigs/scenario.js';
import { play, report, type Run } from './runner.js';
import type { Step } from '../script/script.js';

/** What `report` returns for a run without a violation. */
export const KEPT = 'no promise was broken so far';

/** An undisturbed run of a script: what others are measured by. */
export interface Reference {
  readonly steps: readonly Step[];
  readonly seed: number;
  readonly run: Run;
  readonly trace: Trace;
  /** All that is stored at the end. */
  readonly end: ReadonlyMap<string, string>;
}

/** Plays a script without disturbing the controller; every promise must hold at every event, and no event be missed. */
export async function playUndisturbed(server: ControlPlane, steps: readonly Step[], seed: number): Promise<Reference> {
  return withRig(server, 'undisturbed', async (rig) => {
    const trace = new Trace();
    rig.proxy.seen = (request) => trace.note(request);
    const { observer } = rig;
    const run = await play(steps, { server, observer, seed, before: (step) => trace.begin(step) });
    const end = await rig.endState();
    expect(report(await rig.judge(run.frames), seed)).toBe(KEPT);
    expect(observer.gaps).toBe(0);
    expect(rig.controller.starts).toBe(1);
    return { steps, seed, run, trace, end };
  });
}

/**
 * Plays the script of `reference` again and kills the controller at `count` points chosen by `seed`. Each step must come
 * to the same decisions, the end to the same state, and every promise must hold at every event.
 */
export async function playKilled(
  server: ControlPlane,
  reference: Reference,
  options: { readonly seed: number; readonly count: number },
): Promise<void> {
  const points = crashPoints(new Dice(options.seed), reference.trace, options.count);
  const description = `crash seed ${options.seed}: ${points.map(describePoint).join('; ')}`;
  await withRig(server, 'killed', async (rig) => {
    const crashes = new Crashes(points, rig.controller, rig.proxy);
    const { observer } = rig;
    const { steps, seed } = reference;
    try {
      const run = await play(steps, {
        server,
        observer,
        seed,
        before: (step) => crashes.begin(step),
        reference: reference.run.outcomes,
      });
      await rig.endsAs(reference.end);
      expect(report(await rig.judge(run.frames), seed)).toBe(KEPT);
    } catch (error) {
      throw new Error(`${description}\nreached: ${crashes.reached.map(describePoint).join('; ')}\n${String(error)}`, {
        cause: error,
      });
    }
    expect(crashes.reached).toEqual(points);
    expect(rig.controller.starts).toBe(1 + points.length);
  });
}

/** Calls `body` with a rig, and stops the rig when it ends or throws. */
export async function withRig<T>(
  server: ControlPlane,
  identity: string,
  body: (rig: ScenarioRig) => Promise<T>,
): Promise<T> {
  const rig = await ScenarioRig.start(server, identity);
  try {
    return await body(rig);
  } finally {
    await rig.stop();
  }
}
