import { expect } from '@jest/globals';

import { WRITES } from '@multicluster-engine/kube-apiserver/testing/controlplane/audit';
import type { ControlPlane } from '@multicluster-engine/kube-apiserver/testing/controlplane/plane';
import type { ScenarioRig } from '../../rigs/scenario.js';
import { KEPT, withRig } from './campaign.js';
import { report } from './runner.js';
import { Scene } from './scene.js';

/** The name by which the API server knows the controller of a scene. */
export const IDENTITY = 'steadfast';

export interface Place {
  readonly rig: ScenarioRig;
  readonly scene: Scene;
}

/** A scenario at rest. At its end the controller must be the same process, and all invariants must hold. */
export async function withScene(server: ControlPlane, body: (place: Place) => Promise<void>): Promise<void> {
  await withRig(server, IDENTITY, async (rig) => {
    const scene = new Scene(rig);
    await scene.begin();
    const { pid } = rig.controller;
    await body({ rig, scene });
    expect([rig.controller.pid, rig.controller.exit()]).toEqual([pid, undefined]);
    expect(report(await rig.judge(scene.frames))).toBe(KEPT);
  });
}

/** The accepted writes of the controller to decision objects since `mark`. */
export async function decisionWrites(server: ControlPlane, mark: number): Promise<string[]> {
  const log = await server.requestLog({ after: mark, verbs: WRITES, resources: ['placementdecisions'] });
  return log
    .filter(({ userAgent, code }) => userAgent.endsWith(` ${IDENTITY}`) && code < 300)
    .map(({ verb, uri }) => `${verb} ${uri}`);
}
