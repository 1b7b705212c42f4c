import type { ControlPlane } from '@multicluster-engine/kube-apiserver/testing/controlplane/plane';
import { COMPLAINT_DELAY_MS } from '../../../src/operator/controllers/clusters/controller.js';
import { Proxy } from '../proxy/proxy.js';
import { quietWindow, waitFor } from '@multicluster-engine/kube-apiserver/testing/wait';
import { check } from '../scenario/checks/checker.js';
import { Controller } from '../scenario/run/controller.js';
import type { Frame, Violation } from '../scenario/checks/history.js';
import { Observer } from '../scenario/run/observer.js';
import { comparable, keyOf } from '../scenario/checks/reading.js';
import { difference, SETTLE_MS } from '../scenario/run/runner.js';
import { clear, everything } from '../scenario/run/stage.js';

/** Longer than anything waits before it is written: the condition of a cluster whose set is missing waits longest. */
const QUIET_MS = COMPLAINT_DELAY_MS + 2000;

/** A server with an empty fleet, a proxy with the controller behind it, and a watcher. */
export class ScenarioRig {
  readonly server: ControlPlane;
  readonly proxy: Proxy;
  readonly observer: Observer;
  readonly controller: Controller;

  private constructor(
    server: ControlPlane,
    proxy: Proxy,
    parts: { readonly observer: Observer; readonly controller: Controller },
  ) {
    this.server = server;
    this.proxy = proxy;
    this.observer = parts.observer;
    this.controller = parts.controller;
  }

  /** Empties the fleet, begins to watch, then starts the controller. */
  static async start(server: ControlPlane, identity: string): Promise<ScenarioRig> {
    await clear(server);
    const observer = await Observer.start(server);
    const proxy = await Proxy.start({ url: server.url, caFile: server.caFile, mark: identity });
    const controller = await Controller.start({ server, url: proxy.url, identity });
    return new ScenarioRig(server, proxy, { observer, controller });
  }

  /** The violations in the frames of a run, once every stored event has been observed. */
  async judge(frames: readonly Frame[]): Promise<Violation[]> {
    await this.observer.catchUp();
    return check(this.observer.events, frames);
  }

  /** What is stored once nothing changes any more, without fields that differ from run to run. */
  async endState(): Promise<Map<string, string>> {
    let last = await stored(this.server);
    return waitFor(
      'nothing to change any more',
      async () => {
        const before = last;
        await quietWindow(QUIET_MS);
        last = await stored(this.server);
        return difference(before, last) === undefined ? last : undefined;
      },
      { deadlineMs: SETTLE_MS },
    );
  }

  /** Waits until what is stored equals `wanted`. */
  async endsAs(wanted: ReadonlyMap<string, string>): Promise<void> {
    await waitFor(
      'the end state of the undisturbed run',
      async (seen) => {
        const open = difference(wanted, await stored(this.server));
        seen(open);
        return open === undefined;
      },
      { deadlineMs: SETTLE_MS, everyMs: 500 },
    );
  }

  async stop(): Promise<void> {
    await this.controller.stop();
    this.observer.stop();
    await this.proxy.stop();
  }
}

async function stored(server: ControlPlane): Promise<Map<string, string>> {
  const objects = await everything(server);
  return new Map(
    objects.map((object) => [`${object.kind ?? ''} ${keyOf(object)}`, JSON.stringify(comparable(object))]),
  );
}
