import { Agent, request } from 'node:https';
import type { IncomingMessage } from 'node:http';
import { eventsIn } from '../../src/console/web/eventstream.js';
import { field, parseJson, textField } from '../../src/runtime/vocabulary/json.js';
import type { ConsoleProcess } from './process.js';

/** What a browser does while a page stays open. */

/** A browser has so many connections to a server. */
const CONNECTIONS = 6;

/** A person with a token, and the connections of their browser. */
export class Person {
  readonly #options: object;
  readonly #agent: Agent;

  constructor({ port, ca }: Pick<ConsoleProcess, 'port' | 'ca'>, index: number) {
    this.#agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS, ca });
    const authorization = `Bearer person-${index}-of-the-bench`;
    const headers = { authorization, 'sec-fetch-site': 'same-origin' };
    this.#options = { host: 'localhost', port, agent: this.#agent, headers };
  }

  /** The answer to a request; its body has not been read. */
  open(path: string, more: Readonly<Record<string, string>> = {}): Promise<IncomingMessage> {
    const { headers, ...options } = { headers: {}, ...this.#options };
    return new Promise((resolve, reject) => {
      const sent = request({ ...options, path: `/api/v1/${path}`, headers: { ...headers, ...more } }, resolve);
      sent.on('error', reject);
      sent.end();
    });
  }

  /** Closes its connections. */
  close(): void {
    this.#agent.destroy();
  }
}

/** A page: asks again when its topic is named, and notes when its answer has counted how many clusters. */
export class OpenPage {
  count = 0;
  bytes = 0;
  /** Count → when an answer first had it or a larger one, by `performance.now()`. */
  readonly seen: { readonly count: number; readonly at: number }[] = [];
  readonly #person: Person;
  readonly #path: string;
  #tag = '';
  #isAsking = false;
  #isNamed = false;

  /** `path`: of an answer about the fleet. */
  constructor(person: Person, path: string) {
    this.#person = person;
    this.#path = path;
  }

  /** One request at a time, as the page: what is named meanwhile is asked for after it. */
  async fetch(): Promise<void> {
    this.#isNamed = true;
    if (this.#isAsking) return;
    this.#isAsking = true;
    try {
      while (this.#isNamed) {
        this.#isNamed = false;
        await this.#ask();
      }
    } finally {
      this.#isAsking = false;
    }
  }

  async #ask(): Promise<void> {
    const response = await this.#person.open(this.#path, { 'if-none-match': this.#tag });
    const { statusCode = 0, headers } = response;
    const text = await textOf(response);
    this.bytes += text.length;
    if (statusCode === 429 || statusCode >= 500) this.#again(Number(headers['retry-after'] ?? 5));
    if (statusCode !== 200) return;
    this.#tag = textField(headers, 'etag');
    this.count = Number(field(field(parseJson(text), 'data'), 'matched'));
    this.seen.push({ count: this.count, at: performance.now() });
  }

  #again(seconds: number): void {
    setTimeout(() => void this.fetch().catch(() => undefined), seconds * 1_000);
  }
}

async function textOf(response: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of response) text += String(chunk);
  return text;
}

/** Follows the stream for these pages. Resolves once it is open, with what ends it. @throws Error where it is refused */
export async function follow(person: Person, pages: readonly OpenPage[]): Promise<() => void> {
  const response = await person.open('stream?topics=fleet');
  if (response.statusCode !== 200) throw new Error(`the stream is refused: ${response.statusCode}`);
  let rest = '';
  response.on('data', (chunk: Buffer) => {
    const found = eventsIn(rest + chunk.toString());
    ({ rest } = found);
    if (found.events.some(({ data }) => data.startsWith('["')))
      for (const page of pages) void page.fetch().catch(() => undefined);
  });
  response.on('error', () => undefined);
  return () => response.destroy();
}

/** Opens a stream, and reads nothing of it. */
export async function stall(person: Person, topics: readonly string[]): Promise<IncomingMessage> {
  const response = await person.open(`stream?topics=${topics.join()}`);
  if (response.statusCode !== 200) throw new Error(`the stream is refused: ${response.statusCode}`);
  response.pause();
  response.on('error', () => undefined);
  return response;
}
