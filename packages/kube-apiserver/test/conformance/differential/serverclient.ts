import { readFileSync } from 'node:fs';
import { Agent, request as httpsRequest, type RequestOptions } from 'node:https';

import type { Readable } from 'node:stream';

import { load } from 'js-yaml';

import { retryTooManyRequests } from '../../../testing/wait.js';
import type { ConformanceTarget } from '../target.js';
import type { Value } from './features.js';
import { Masks } from './mask.js';
import type { RandomRequest } from './request.js';

/** A response with masks for values that differ between servers. */
export interface Outcome {
  readonly code: number;
  readonly contentType: string;
  readonly warnings: readonly string[];
  readonly body: unknown;
}

interface Answer {
  readonly code: number;
  readonly contentType: string;
  readonly warnings: readonly string[];
  readonly text: string;
}

/** Sends requests of one sequence to one server. Records uids and resourceVersions for placeholders, and masks them. */
export class ServerClient {
  readonly #open = new Set<() => void>();
  readonly #target: ConformanceTarget;
  readonly #agent: Agent;
  readonly #namespace: string;
  readonly #masks = new Masks();
  /** The newest continue token by path of the collection. */
  readonly #pages = new Map<string, string>();
  #newest = 1;
  /** uid and resourceVersion by path. */
  readonly #seen = new Map<string, { readonly uid: string; readonly version: string }>();

  constructor(target: ConformanceTarget, agent: Agent, namespace: string) {
    this.#target = target;
    this.#agent = agent;
    this.#namespace = namespace;
  }

  async send(move: RandomRequest): Promise<Outcome> {
    const path = this.resolved(move.path);
    const sent = {
      ...(move.body === undefined ? {} : { body: this.#body(move.body) }),
      ...(move.text === undefined ? {} : { text: this.resolved(move.text) }),
    };
    const answer = await this.#send({ ...move, path, ...sent });
    const parsed = parse(answer.text, answer.contentType);
    this.#remember(path, parsed);
    const read = /\/services\/[^/]+\/status/.test(path) ? withoutUnstableFields(parsed) : parsed;
    return {
      code: answer.code,
      contentType: answer.contentType,
      warnings: answer.warnings.map((text) => this.#masks.text(text)),
      body: this.#masks.value(read),
    };
  }

  /** Opens a watch. Returns the head of the response; events are reported until {@link close}. */
  async openWatch(move: RandomRequest, onEvent: (event: unknown) => void): Promise<Outcome> {
    const answer = await this.#send({ ...move, path: this.resolved(move.path) }, (text) => onEvent(JSON.parse(text)));
    const body = this.#masks.value(parse(answer.text, answer.contentType));
    return {
      code: answer.code,
      contentType: answer.contentType,
      warnings: answer.warnings.map((text) => this.#masks.text(text)),
      body,
    };
  }

  /** Reads a path without recording uids and resourceVersions. */
  read(path: string, accept = 'application/json'): Promise<{ readonly code: number; readonly text: string }> {
    return this.#send({ method: 'GET', path: this.resolved(path), accept });
  }

  /** Closes the watches of {@link openWatch}. */
  close(): void {
    for (const end of this.#open) end();
  }

  /** Reports the events of a collection from `version` on until `signal` aborts. */
  async follow(
    collection: string,
    version: string,
    signal: AbortSignal,
    onEvent: (event: unknown) => void,
  ): Promise<void> {
    await this.#target.stream(
      this.resolved(`${collection}?watch=true&resourceVersion=${version}`),
      (line) => onEvent(JSON.parse(line)),
      signal,
    );
  }

  /** Masks an event. */
  masked(value: unknown): unknown {
    return this.#masks.value(withoutUnstableFields(value));
  }

  #body(body: Value): Value {
    const text = this.resolved(JSON.stringify(body));
    return JSON.parse(text);
  }

  /** Replaces the placeholders of a text. */
  resolved(text: string): string {
    const named = text.replaceAll('{{namespace}}', this.#namespace);
    const placed = named
      .replaceAll(/\{\{continue ([^}]+)\}\}/g, (_all, path: string) => this.#pages.get(path) ?? '')
      .replaceAll('{{newest}}', String(this.#newest))
      .replaceAll(
        /\{\{since ([^}]+)\}\}/g,
        (_all, path: string) => this.#seen.get(path)?.version ?? String(this.#newest),
      );
    return placed.replaceAll(/\{\{(uid|rv) ([^}]+)\}\}/g, (_all, what: string, path: string) => {
      const seen = this.#seen.get(path);
      return what === 'uid' ? (seen?.uid ?? 'never-seen') : (seen?.version ?? '1');
    });
  }

  #remember(path: string, body: unknown): void {
    const found: {
      kind?: string;
      metadata?: { name?: string; uid?: string; resourceVersion?: string; continue?: string };
      items?: unknown;
    } = typeof body === 'object' && body !== null ? body : {};
    const { name, uid, resourceVersion, continue: next } = found.metadata ?? {};
    if (next !== undefined) this.#pages.set(path.replace(/\?.*$/, ''), next);
    if (
      path.includes('dryRun=') ||
      found.items !== undefined ||
      name === undefined ||
      uid === undefined ||
      resourceVersion === undefined
    )
      return;
    const bare = path.replace(/\?.*$/, '').replace(/\/(status|scale)$/, '');
    const own = bare.endsWith(`/${name}`) ? bare : `${bare}/${name}`;
    this.#seen.set(own, { uid, version: resourceVersion });
    this.#newest = Math.max(this.#newest, Number(resourceVersion));
  }

  #send(move: RandomRequest, onLine?: (text: string) => void): Promise<Answer> {
    return retryTooManyRequests(
      () => this.#ask(move, onLine),
      ({ code }) => code,
    );
  }

  #ask(move: RandomRequest, onLine?: (text: string) => void): Promise<Answer> {
    const body = move.text ?? (move.body === undefined ? undefined : JSON.stringify(move.body));
    const given = Object.entries(move.headers ?? {}).map(([name, value]): [string, string | string[]] => [
      name,
      typeof value === 'string' ? this.resolved(value) : [...value],
    ]);
    const options: RequestOptions = {
      method: move.method,
      agent: this.#agent,
      ...(onLine === undefined ? { signal: AbortSignal.timeout(60_000) } : {}),
      headers: {
        authorization: `Bearer ${this.#target.token}`,
        accept: move.accept ?? 'application/json',
        'user-agent': 'differential/1',
        ...Object.fromEntries(given),
        ...(body === undefined
          ? {}
          : { 'content-type': move.contentType ?? 'application/json', 'content-length': Buffer.byteLength(body) }),
      },
    };
    return new Promise((resolve, reject) => {
      const outgoing = httpsRequest(new URL(move.path, this.#target.url), options, (incoming) => {
        const head = {
          code: incoming.statusCode ?? 0,
          contentType: incoming.headers['content-type'] ?? '',
          warnings: incoming.rawHeaders.flatMap((text, at) =>
            at % 2 === 1 && incoming.rawHeaders[at - 1]?.toLowerCase() === 'warning' ? [text] : [],
          ),
        };
        if (onLine !== undefined && head.code === 200) {
          this.#open.add(() => outgoing.destroy());
          eachLine(incoming, onLine);
          resolve({ ...head, text: '' });
          return;
        }
        const chunks: Buffer[] = [];
        incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
        incoming.on('error', reject);
        incoming.on('end', () => resolve({ ...head, text: Buffer.concat(chunks).toString('utf8') }));
      });
      outgoing.on('error', reject);
      outgoing.end(body);
    });
  }
}

/** Splits a stream into lines. */
function eachLine(stream: Readable, onLine: (text: string) => void): void {
  let rest = '';
  stream.setEncoding('utf8');
  stream.on('data', (text: string) => {
    const lines = `${rest}${text}`.split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) if (line !== '') onLine(line);
  });
  stream.on('error', () => undefined);
}

function withoutUnstableFields(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value), withoutTraffic);
}

/**
 * kube-apiserver stores an internalTrafficPolicy of ExternalName Services and removes it from responses, but from watch
 * events only while there are fewer than three watches, and not from responses of the status subresource.
 */
function withoutTraffic(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !('type' in value) || value.type !== 'ExternalName') return value;
  return Object.fromEntries(Object.entries(value).filter(([key]) => key !== 'internalTrafficPolicy'));
}

export function agentOf(target: ConformanceTarget): Agent {
  return new Agent({ keepAlive: true, ca: readFileSync(target.caFile) });
}

function parse(text: string, contentType: string): unknown {
  const isYaml = contentType.startsWith('application/yaml');
  if (!isYaml && !contentType.startsWith('application/json')) return text;
  try {
    return isYaml ? load(text) : JSON.parse(text);
  } catch {
    return text;
  }
}
