import type { LoggedRequest } from '../controlplane/audit.js';
import { STARTED, STOPPING } from '../controlplane/servers.js';

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
