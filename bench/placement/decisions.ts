import type { PlacementDecision } from '../../src/api/generated/placementdecision.js';
import { PLACEMENT_LABEL } from '../../src/api/names.js';
import { PlacementDecisions } from '../../src/api/resources.js';
import { collectionPath } from '../../src/runtime/client/path.js';
import type { BareClient } from './client.js';

interface DecisionEvent {
  readonly type: string;
  readonly object: PlacementDecision;
}

interface Expectation {
  readonly isMet: (key: string) => boolean;
  readonly resolve: (at: number) => void;
}

const PATH = collectionPath(PlacementDecisions);
/** A watch that outlasts the bench, s. */
const TIMEOUT = 7_200;

/** The decisions as a client sees them, with the time at which it has seen them. Each has one object: at most 100 clusters. */
export class DecisionWatch {
  readonly #clusters = new Map<string, readonly string[]>();
  readonly #expected = new Set<Expectation>();
  readonly #end = new AbortController();

  /** Watches from now on; resolves when the existing decisions are known. `onBroken`: the watch has ended by itself. */
  static async open(client: BareClient, onBroken: (error: Error) => void): Promise<DecisionWatch> {
    const watch = new DecisionWatch();
    const list = await client.json<{ metadata: { resourceVersion: string }; items: readonly PlacementDecision[] }>({
      method: 'GET',
      path: PATH,
    });
    for (const one of list.items) watch.#note(one);
    void watch.#follow(client, list.metadata.resourceVersion).catch((error: unknown) => {
      if (!watch.#end.signal.aborted) onBroken(error instanceof Error ? error : new Error(String(error)));
    });
    return watch;
  }

  /** How many Placements have a decision with clusters. */
  get size(): number {
    return this.#clusters.size;
  }

  /** The selected clusters of the Placement `namespace/name`. */
  clustersOf(key: string): readonly string[] {
    return this.#clusters.get(key) ?? [];
  }

  /** All decisions as they are now, as text by Placement. */
  all(): ReadonlyMap<string, string> {
    return new Map([...this.#clusters].map(([key, clusters]) => [key, clusters.join()]));
  }

  /**
   * When `isMet` first returned true, by performance.now(): it is called with each Placement whose decision has changed.
   * @throws Error after `deadlineMs`
   */
  when(isMet: (key: string) => boolean, deadlineMs = 60_000): Promise<number> {
    return new Promise((resolve, reject) => {
      const late = (): void => reject(new Error(`the decisions have not changed within ${deadlineMs} ms`));
      const timer = setTimeout(late, deadlineMs);
      this.#expected.add({
        isMet,
        resolve: (at) => {
          clearTimeout(timer);
          resolve(at);
        },
      });
    });
  }

  close(): void {
    this.#end.abort();
  }

  async #follow(client: BareClient, from: string): Promise<void> {
    const query = `watch=true&resourceVersion=${from}&timeoutSeconds=${TIMEOUT}`;
    for await (const line of client.lines(`${PATH}?${query}`, this.#end.signal)) {
      const { type, object }: DecisionEvent = JSON.parse(line);
      if (type === 'ADDED' || type === 'MODIFIED') this.#note(object);
      else throw new Error(`the watch of the decisions has sent ${line}`);
    }
    throw new Error('the watch of the decisions has ended');
  }

  #note({ metadata, status }: PlacementDecision): void {
    const key = `${metadata.namespace ?? ''}/${metadata.labels?.[PLACEMENT_LABEL] ?? ''}`;
    const clusters = (status?.decisions ?? []).map(({ clusterName }) => clusterName);
    if (clusters.length > 0) this.#clusters.set(key, clusters);
    const at = performance.now();
    for (const one of this.#expected) {
      if (!one.isMet(key)) continue;
      this.#expected.delete(one);
      one.resolve(at);
    }
  }
}
