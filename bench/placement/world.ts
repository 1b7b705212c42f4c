import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { WRITES } from '@multicluster-engine/kube-apiserver/testing/controlplane/audit';
import { quantile } from '@multicluster-engine/kube-apiserver/testing/bench';
import { quietWindow } from '@multicluster-engine/kube-apiserver/testing/wait';
import { BareClient } from './client.js';
import { ControllerProcess } from './controller.js';
import { DecisionWatch } from './decisions.js';
import type { FleetSize } from './fleet.js';
import { AT_ONCE, seed, startServer, type BenchServer, type ServerChoice } from './server.js';

/** How much is done for each figure. */
export interface Effort {
  /** For how long the CPU time of an idle controller is measured, ms. */
  readonly idleMs: number;
  /** The controller's work is over when it has sent no request for this long, ms. */
  readonly quietMs: number;
  /**
   * How long the garbage of what was before may wait for V8, ms: it collects the whole heap, up to three times, from eight
   * seconds after a process has become quiet.
   */
  readonly collectionMs: number;
  readonly misses: number;
  readonly flips: number;
  readonly heartbeats: number;
  readonly newPlacements: number;
  readonly scrapes: number;
}

export const FULL: Effort = {
  idleMs: 10_000,
  quietMs: 1_500,
  collectionMs: 12_000,
  misses: 400,
  flips: 50,
  heartbeats: 2_000,
  newPlacements: 200,
  scrapes: 10,
};

/** A Lease is renewed every two seconds: once in each window of {@link FULL}. */
const IDLE_WINDOWS = 5;

export interface WorldOptions {
  readonly size: FleetSize;
  readonly server: ServerChoice;
  readonly effort: Effort;
  /** The file of the program: compiled, or in the bundle that is shipped. */
  readonly main: string;
  /** Folder for CPU profiles of the controller, one for each row; undefined: none. */
  readonly profiles: string | undefined;
}

/** Requests of the controller, without those for its Lease. */
export interface Requests {
  /** Of Placements and decisions. */
  readonly writes: number;
  /** Of sets and bindings: their status says who uses them. */
  readonly setWrites: number;
  readonly events: number;
  readonly reads: number;
}

/** What a piece of work has cost the controller. */
export interface Cost {
  /** CPU time of the whole process, without what it uses while nothing happens, ms. */
  readonly cpuMs: number;
  readonly reconciles: number;
  /** Undefined where the server's log cannot be read. */
  readonly requests: Requests | undefined;
}

interface Parts {
  readonly server: BenchServer;
  readonly client: BareClient;
  readonly decisions: DecisionWatch;
  readonly folder: string;
}

/** A server with a fleet, a client that changes the fleet, and the controller in a process of its own. */
export class World {
  readonly options: WorldOptions;
  readonly client: BareClient;
  readonly decisions: DecisionWatch;
  readonly #parts: Parts;
  #controller: ControllerProcess | undefined;
  /** CPU time of the controller while nothing happens, ms a ms. */
  #idleShare = 0;

  private constructor(options: WorldOptions, parts: Parts) {
    this.options = options;
    this.client = parts.client;
    this.decisions = parts.decisions;
    this.#parts = parts;
  }

  /** Starts the server and creates the fleet; the controller is not running yet. */
  static async open(options: WorldOptions): Promise<World> {
    const server = await startServer(options.server);
    const client = await BareClient.open(server.kubeconfig, AT_ONCE);
    await seed(client, options.size);
    const decisions = await DecisionWatch.open(client, (error) => {
      throw error;
    });
    return new World(options, { server, client, decisions, folder: await mkdtemp(path.join(tmpdir(), 'bench-')) });
  }

  get controller(): ControllerProcess {
    if (this.#controller === undefined) throw new Error('the controller is not running');
    return this.#controller;
  }

  async startController(): Promise<ControllerProcess> {
    const { server, folder } = this.#parts;
    this.#controller = await ControllerProcess.start(
      this.options.main,
      server.controllerKubeconfig,
      path.join(folder, 'controller.log'),
    );
    return this.#controller;
  }

  async stopController(): Promise<void> {
    await this.#controller?.stop();
    this.#controller = undefined;
  }

  async close(): Promise<void> {
    await this.stopController();
    this.decisions.close();
    await this.client.close();
    await this.#parts.server.stop();
    await rm(this.#parts.folder, { recursive: true, force: true });
  }

  /** Position in the server's log, for {@link requests}. */
  logMark(): Promise<number> {
    return this.#parts.server.logMark();
  }

  /** The requests of the controller after a position of the server's log; undefined where it cannot be read. */
  async requests(after: number): Promise<Requests | undefined> {
    const log = await this.#parts.server.requests(after);
    if (log === undefined) return undefined;
    const own = log.filter(({ resource, verb }) => resource !== 'leases' && resource !== '' && verb !== 'watch');
    const written = own.filter(({ verb }) => WRITES.some((one) => one === verb));
    const events = written.filter(({ resource }) => resource === 'events').length;
    const setWrites = written.filter(({ resource }) => resource.startsWith('managedclusterset')).length;
    const writes = written.length - events - setWrites;
    return { writes, setWrites, events, reads: own.length - written.length };
  }

  /** Resolves when the controller has sent no request for a while. */
  async quiet(after: number): Promise<void> {
    const { quietMs } = this.options.effort;
    let last = -1;
    let since = performance.now();
    while (performance.now() - since < quietMs) {
      const requests = await this.requests(after);
      const count = requests === undefined ? 0 : Object.values(requests).reduce((sum, one) => sum + one, 0);
      if (count !== last) since = performance.now();
      last = count;
      await quietWindow(Math.min(200, quietMs));
    }
  }

  /** Measures what the controller uses while nothing happens; ms of CPU time a second, the median of some windows. */
  async measureIdle(): Promise<number> {
    const shares: number[] = [];
    await this.collected();
    while (shares.length < IDLE_WINDOWS) {
      const before = await this.controller.ask({ kind: 'sample' });
      const began = performance.now();
      await quietWindow(this.options.effort.idleMs / IDLE_WINDOWS);
      const after = await this.controller.ask({ kind: 'sample' });
      shares.push((after.cpuMs - before.cpuMs) / (performance.now() - began));
    }
    this.#idleShare = quantile(
      shares.sort((a, b) => a - b),
      0.5,
    );
    return this.#idleShare * 1000;
  }

  /**
   * Waits until V8 has collected the garbage of what was before. It would be most of what a few changes cost, and of an idle
   * process.
   */
  async collected(): Promise<void> {
    await quietWindow(this.options.effort.collectionMs);
  }

  /** What `work` costs the controller until it is quiet again. `row`: names the profile. */
  async cost(row: string, work: () => Promise<void>): Promise<Cost> {
    const { controller } = this;
    const mark = await this.logMark();
    const reconciles = await controller.reconciles();
    const cpuMs = await this.profiled(row, async () => {
      const before = await controller.ask({ kind: 'sample' });
      const began = performance.now();
      await work();
      await this.quiet(mark);
      const after = await controller.ask({ kind: 'sample' });
      return after.cpuMs - before.cpuMs - this.#idleShare * (performance.now() - began);
    });
    return {
      cpuMs,
      reconciles: (await controller.reconciles()) - reconciles,
      requests: await this.requests(mark),
    };
  }

  /** The result of `work`, while the controller is profiled if that is asked for. `row`: names the profile. */
  async profiled<T>(row: string, work: () => Promise<T>): Promise<T> {
    const { controller } = this;
    const { profiles } = this.options;
    if (profiles === undefined) return work();
    await controller.ask({ kind: 'startProfile' });
    const result = await work();
    await controller.ask({ kind: 'stopProfile', file: path.join(profiles, `${row}.cpuprofile`) });
    return result;
  }
}
