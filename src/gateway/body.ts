import type { IncomingMessage } from 'node:http';
import type { Data } from './document.js';
import { header, type HeaderMap } from './headers.js';
import { parseJson } from './json.js';
import type { Format } from './media.js';
import { Refusal } from './refusal.js';
import { parseYaml } from './yaml.js';

export const MAX_BODY = 1024 * 1024;

const BYTE_ORDER_MARK = '\u{feff}';

/** Bytes that may be held at a time, over all requests, so that many large ones cannot exhaust the memory. */
export class Budget {
  readonly #limit: number;
  #held = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Whether `bytes` more could be had; they have to be given back. */
  take(bytes: number): boolean {
    if (this.#held + bytes > this.#limit) return false;
    this.#held += bytes;
    return true;
  }

  give(bytes: number): void {
    this.#held -= bytes;
  }

  get held(): number {
    return this.#held;
  }
}

/** Whether the head announces a body. */
export function announcesBody(headers: HeaderMap): boolean {
  const length = header(headers, 'content-length');
  return headers.has('transfer-encoding') || (length !== undefined && !/^0+$/.test(length));
}

/** @throws Refusal `tooLarge` where the head announces more than 1 MiB. */
export function checkLength(headers: HeaderMap): void {
  if (Number(header(headers, 'content-length') ?? 0) > MAX_BODY) throw tooLarge();
}

/**
 * Reads the body to its end, at most 1 MiB, whatever length was announced. The bytes are counted against the budget;
 * `release` gives them back.
 * @throws Refusal; an Error when the client leaves
 */
export async function readBody(request: IncomingMessage, budget: Budget): Promise<{ readonly bytes: Buffer; readonly release: () => void }> {
  const chunks: Buffer[] = [];
  let held = 0;
  try {
    // Left undestroyed, so that a refusal can still be answered.
    for await (const chunk of request.iterator({ destroyOnReturn: false })) {
      const bytes: Buffer = chunk;
      if (held + bytes.length > MAX_BODY) throw tooLarge();
      if (!budget.take(bytes.length)) throw new Refusal('unavailable', { message: 'too many bodies at once', close: true });
      held += bytes.length;
      chunks.push(bytes);
    }
  } catch (error) {
    budget.give(held);
    throw error;
  }
  return { bytes: Buffer.concat(chunks), release: () => budget.give(held) };
}

/**
 * The one document of a body, as strictly read as document.ts says.
 * @throws Refusal `malformed`
 */
export function parseBody(bytes: Uint8Array, format: Format): Data {
  const text = decode(bytes);
  if (text.startsWith(BYTE_ORDER_MARK)) throw new Refusal('malformed', { message: 'the body must not begin with a byte order mark' });
  return format === 'json' ? parseJson(text) : parseYaml(text);
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new Refusal('malformed', { message: 'the body is not valid UTF-8' });
  }
}

function tooLarge(): Refusal {
  return new Refusal('tooLarge', { message: `the body is larger than ${MAX_BODY} bytes`, close: true });
}
