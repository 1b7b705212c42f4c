import type { LoggedRequest } from '@multicluster-engine/kube-apiserver/testing/controlplane/audit';
import { STARTED, STOPPING } from '@multicluster-engine/kube-apiserver/testing/controlplane/servers';

/**
 * When a server was stopped and not ready again, by the marks in its log. Before it is ready it answers already,
 * and refuses requests whose rights it has not read yet.
 */
export class Outages {
  readonly #marks: readonly LoggedRequest[];

  constructor(log: readonly LoggedRequest[]) {
    this.#marks = log.filter(({ uri }) => uri === STOPPING || uri === STARTED);
  }

  at(time: number): boolean {
    return this.#marks.filter(({ receivedAt }) => receivedAt <= time).at(-1)?.uri === STOPPING;
  }
}
