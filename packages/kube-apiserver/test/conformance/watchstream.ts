import { waitFor } from '../../testing/wait.js';
import type { HttpsClient } from './httpsclient.js';

export interface WatchedEvent {
  readonly type: string;
  readonly object: {
    readonly apiVersion?: string;
    readonly kind?: string;
    readonly metadata?: {
      readonly name?: string;
      readonly resourceVersion?: string;
      readonly annotations?: Readonly<Record<string, string>>;
      readonly [field: string]: unknown;
    };
    readonly [field: string]: unknown;
  };
}

/** An open watch with the events that it received. */
export class WatchStream {
  readonly #abort = new AbortController();
  readonly #events: WatchedEvent[] = [];
  #taken = 0;
  #ended = false;

  private constructor() {}

  /** Resolves when the response begins. Rejects for another status than 200. */
  static async open(wire: HttpsClient, path: string, accept = 'application/json'): Promise<WatchStream> {
    const watching = new WatchStream();
    const code = await wire.stream({ path, headers: { accept } }, watching.#abort.signal, {
      line: (line) => void watching.#events.push(JSON.parse(line)),
      end: () => void (watching.#ended = true),
    });
    if (code !== 200) throw new Error(`${path}: ${code}`);
    return watching;
  }

  /** Waits for the next `count` events and returns them. */
  async take(count: number): Promise<readonly WatchedEvent[]> {
    const events = await waitFor(`${count} events`, (seen) => {
      seen(this.rest.map(({ type, object }) => `${type} ${object.metadata?.name}`));
      return this.rest.length >= count ? this.rest.slice(0, count) : undefined;
    });
    this.#taken += count;
    return events;
  }

  /** Events that were received and not taken. */
  get rest(): readonly WatchedEvent[] {
    return this.#events.slice(this.#taken);
  }

  /** Waits until the server ends the watch. */
  async end(): Promise<void> {
    await waitFor('the end of the watch', () => this.#ended);
  }

  close(): void {
    this.#abort.abort();
  }
}
