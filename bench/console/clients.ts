import { Agent, request } from 'node:https';
import type { IncomingMessage } from 'node:http';
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

/** As the page while something changes. */
const POLL_MS = 2_000;

/** A page: asks again and again, and notes when its answer has counted how many clusters. */
export class OpenPage {
  count = 0;
  bytes = 0;
  /** Count → when an answer first had it or a larger one, by `performance.now()`. */
  readonly seen: { readonly count: number; readonly at: number }[] = [];
  readonly #person: Person;
  readonly #path: string;
  #tag = '';
  #isOver = false;

  /** `path`: of an answer about the fleet. */
  constructor(person: Person, path: string) {
    this.#person = person;
    this.#path = path;
  }

  /** Asks once, and then again and again, until `close`. */
  async open(): Promise<void> {
    const seconds = await this.#ask();
    this.#later(Math.max(Math.random() * POLL_MS, seconds * 1_000));
  }

  close(): void {
    this.#isOver = true;
  }

  #later(ms: number): void {
    setTimeout(() => {
      if (this.#isOver) return;
      const asked = this.#ask().catch(() => 0);
      void asked.then((seconds) => this.#later(Math.max(POLL_MS, seconds * 1_000)));
    }, ms).unref();
  }

  /** Resolves with the seconds that the server wants to be left alone. */
  async #ask(): Promise<number> {
    const response = await this.#person.open(this.#path, { 'if-none-match': this.#tag });
    const { statusCode = 0, headers } = response;
    const text = await textOf(response);
    this.bytes += text.length;
    if (statusCode === 200) {
      this.#tag = textField(headers, 'etag');
      this.count = Number(field(field(parseJson(text), 'data'), 'matched'));
      this.seen.push({ count: this.count, at: performance.now() });
    }
    return Number(headers['retry-after'] ?? 0);
  }
}

async function textOf(response: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of response) text += String(chunk);
  return text;
}

/** Asks for an answer, and reads nothing of it. */
export async function stall(person: Person): Promise<void> {
  const response = await person.open('fleet?limit=500');
  if (response.statusCode !== 200) throw new Error(`the request is refused: ${response.statusCode}`);
  response.pause();
  response.on('error', () => undefined);
}
