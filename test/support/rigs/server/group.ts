import { createClient } from '../../../../src/runtime/client/rest.js';
import type { KubeClient } from '../../../../src/runtime/client/client.js';
import type { EventNote, EventRecorder } from '../../../../src/runtime/events/recorder.js';
import { guardClient, type GuardRow } from '../../../../src/runtime/client/guard.js';
import type { Transport, TransportOptions } from '../../../../src/runtime/transport/transport.js';
import { systemClock, systemRandom } from '../../../../src/runtime/clock.js';
import { Group, type GroupOptions } from '../../../../src/runtime/manager/manager.js';
import type { ControlPlane } from '@multicluster-engine/kube-apiserver/testing/controlplane/plane';
import { transportOf } from '../../clients/transport.js';
import { RecordingLog } from '../../fakes/log.js';

const WRITES = ['create', 'update', 'patch', 'delete', 'deletecollection'];

/** A group of controllers as the operator runs it on a server, always the leader; subclasses name the controllers. */
export abstract class GroupRig {
  readonly events: EventNote[] = [];
  readonly log = new RecordingLog();
  protected readonly transport: Transport;
  readonly #end = new AbortController();
  #done: Promise<boolean> = Promise.resolve(true);

  /** `kubeconfig`: a file with the rights that the group has. */
  protected constructor(kubeconfig: string, options: Partial<TransportOptions>) {
    this.transport = transportOf(kubeconfig, options);
  }

  /** Ends as the process would; returns whether the end was clean. */
  async stop(): Promise<boolean> {
    this.#end.abort(new Error('the test is over'));
    const clean = await this.#done;
    await this.transport.close();
    return clean;
  }

  /** What controllers and caches take from their process. */
  protected tools(): { clock: typeof systemClock; random: typeof systemRandom; log: RecordingLog } {
    return { clock: systemClock, random: systemRandom, log: this.log };
  }

  /** A recorder that keeps its events in `events`. */
  protected recorder(): EventRecorder {
    return { record: (event) => void this.events.push(event), flush: () => Promise.resolve() };
  }

  /** A client that refuses writes beyond these rights. */
  protected guarded(rights: readonly GuardRow[]): KubeClient {
    const leadership = { held: () => true, identity: 'test' };
    return guardClient(createClient(this.transport), rights, { leadership, log: this.log });
  }

  protected run(group: Pick<GroupOptions, 'name' | 'sources' | 'controllers' | 'onStartedLeading'>): void {
    const election = {
      acquire: () => Promise.resolve(new AbortController().signal),
      release: () => Promise.resolve(),
      held: () => true,
    };
    this.#done = new Group({ ...group, election, clock: systemClock, log: this.log }).run(this.#end.signal);
  }
}

/** The writes of the user agent since `mark`, as `verb resource name code`. */
export async function writesOf(server: ControlPlane, userAgent: string, mark: number): Promise<string[]> {
  const log = await server.requestLog({ after: mark, verbs: WRITES });
  return log
    .filter((request) => request.userAgent.startsWith(userAgent))
    .map(
      ({ verb, resource, subresource, name, code }) =>
        `${verb} ${resource}${subresource === '' ? '' : `/${subresource}`} ${name} ${code}`,
    );
}
