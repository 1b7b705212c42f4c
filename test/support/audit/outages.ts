import type { LoggedRequest } from '@multicluster-engine/kube-apiserver/testing/controlplane/audit';
import { STARTED, STOPPING } from '@multicluster-engine/kube-apiserver/testing/controlplane/servers';

/**
 * When a server was stopped and not ready again, told from the marks in its log. Until it is ready it answers already,
 * and refuses what it does not yet know to be allowed.
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
