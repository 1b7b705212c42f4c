import type { LoggedRequest } from '@multicluster-engine/kube-apiserver/testing/controlplane/audit';

/** What takes the account of a component with it. */
const TAKES_ACCOUNTS: ReadonlySet<string> = new Set(['serviceaccounts', 'namespaces', 'multiclusterengines']);
/** A process ends soon after its account is gone. */
const REST_MS = 15_000;

/** When the accounts of components were deleted, by the deletions in a log: later requests of such a component are refused, for its token is no longer valid. */
export class Departures {
  readonly #times: readonly number[];

  constructor(log: readonly LoggedRequest[]) {
    this.#times = log
      .filter(({ verb, resource, code }) => verb.startsWith('delete') && TAKES_ACCOUNTS.has(resource) && code < 300)
      .map(({ receivedAt }) => receivedAt);
  }

  /** Whether an account had just gone. */
  at(time: number): boolean {
    return this.#times.some((went) => went <= time && time - went <= REST_MS);
  }
}
