import path from 'node:path';

import { load } from 'js-yaml';

import { waitFor } from '../../../testing/wait.js';
import { Masks } from '../differential/mask.js';
import type { ConformanceTarget } from '../target.js';
import { HttpsClient, type RawResponse } from '../httpsclient.js';
import type { Exchange, Scenario } from './transcript.js';

/** Sends the requests of scenarios to one server. */
export class Player {
  readonly #target: ConformanceTarget;
  readonly #wire: HttpsClient;

  constructor(target: ConformanceTarget) {
    this.#target = target;
    this.#wire = new HttpsClient(target);
  }

  close(): void {
    this.#wire.close();
  }

  /**
   * Sends the requests of a scenario in order, in a new namespace, and returns the responses. In requests `NS` stands for
   * the namespace, `{{uid PATH}}` and `{{rv PATH}}` for uid and resourceVersion of the object last read at PATH, and
   * `{{continue}}` for the continue token of the last list. `SERVED path` waits until the path is served. `Until: CODE`
   * repeats a request until it is answered with that status.
   */
  async play({ exchanges }: Pick<Scenario, 'exchanges'>, namespace: string): Promise<string[][]> {
    const made = await this.#target.call({
      method: 'POST',
      path: '/api/v1/namespaces',
      body: { metadata: { name: namespace } },
    });
    if (made.status !== 201) throw new Error(`namespace ${namespace}: ${made.status} ${made.text}`);
    const round = new ScenarioState(namespace);
    const answers: string[][] = [];
    for (const exchange of exchanges) answers.push(await this.#ask(exchange, round));
    return answers;
  }

  /** Lists without a resourceVersion, which makes the watch cache of kube-apiserver current. */
  async #refresh(target: string): Promise<void> {
    const bare = target.replace(/\?.*$/, '');
    for (const place of [bare, path.posix.dirname(bare)]) await this.#target.call({ path: place });
  }

  async #ask(exchange: Exchange, round: ScenarioState): Promise<string[]> {
    const target = round.resolved(exchange.target);
    if (exchange.method === 'SERVED') {
      await waitFor(`${target} to be served`, async () => (await this.#target.call({ path: target })).status === 200);
      return [];
    }
    const body = exchange.body === undefined ? undefined : round.resolved(exchange.body);
    const [, awaited] = exchange.headers.find(([name]) => name === 'Until') ?? [];
    const answer =
      awaited === undefined
        ? await this.#send(exchange, target, body)
        : await waitFor(`${exchange.method} ${target} to be answered ${awaited}`, async (seen) => {
            const given = await this.#send(exchange, target, body);
            seen(given);
            return String(given.code) === awaited ? given : undefined;
          });
    return round.lines(exchange, answer);
  }

  async #send({ method, headers }: Exchange, target: string, body: string | undefined): Promise<Answer> {
    if (method === 'GET' && FROM_CACHE.test(target)) await this.#refresh(target);
    const given = headers
      .filter(([name]) => name !== 'Show' && name !== 'Until')
      .map(([name, value]) => [name.toLowerCase(), value]);
    const answer = await this.#wire.send({
      method,
      path: target,
      headers: Object.fromEntries(given),
      ...(body === undefined ? {} : { body }),
    });
    return { ...answer, type: answer.headers['content-type'] ?? '' };
  }
}

/** Reads that kube-apiserver answers from its watch cache, which may be older than the store. */
const FROM_CACHE = /[?&]resourceVersion=\d/;

type Answer = Pick<RawResponse, 'code' | 'warnings' | 'text'> & { readonly type: string };

/** Values of earlier responses in one scenario on one server. */
class ScenarioState {
  readonly #namespace: string;
  readonly #masks = new Masks();
  readonly #seen = new Map<string, { readonly uid: string; readonly version: string }>();
  #token = '';

  constructor(namespace: string) {
    this.#namespace = namespace;
  }

  resolved(text: string): string {
    const named = text
      .replaceAll(/\bNS\b/g, this.#namespace)
      .replaceAll('{{continue}}', encodeURIComponent(this.#token));
    return named.replaceAll(/\{\{(uid|rv) ([^}]+)\}\}/g, (_all, what: string, path: string) => {
      const seen = this.#seen.get(path);
      if (seen === undefined) throw new Error(`{{${what} ${path}}}: no object was read there`);
      return what === 'uid' ? seen.uid : seen.version;
    });
  }

  lines(exchange: Exchange, { code, type, warnings, text }: Answer): string[] {
    const value = parsed(text, type);
    this.#remember(this.resolved(exchange.target), value);
    const shown = exchange.headers.some(([name, wanted]) => name === 'Show' && wanted === 'managedFields')
      ? value
      : withoutManagers(value);
    const masked = this.#masks.value(withoutDescriptions(shown));
    const plain = type === 'application/json' ? '' : ` ${type}`;
    const lines = [
      `${code}${plain}`,
      ...warnings.map((warning) => `Warning: ${this.#masks.text(warning)}`),
      typeof masked === 'string' ? masked.trimEnd() : JSON.stringify(masked),
    ];
    return lines.flatMap((line) => line.replaceAll(this.#namespace, 'NS').split('\n')).filter((line) => line !== '');
  }

  #remember(target: string, value: unknown): void {
    const found: {
      metadata?: { name?: string; uid?: string; resourceVersion?: string; continue?: string };
      items?: unknown;
    } = typeof value === 'object' && value !== null ? value : {};
    const { name, uid, resourceVersion, continue: token } = found.metadata ?? {};
    if (found.items !== undefined && token !== undefined) this.#token = token;
    if (name === undefined || uid === undefined || resourceVersion === undefined) return;
    const bare = target.replace(/\?.*$/, '').replace(/\/(status|scale)$/, '');
    this.#seen.set(bare.endsWith(`/${name}`) ? bare : `${bare}/${name}`, { uid, version: resourceVersion });
  }
}

function parsed(text: string, type: string): unknown {
  try {
    if (type.startsWith('application/yaml')) return load(text);
    return type.startsWith('application/json') ? JSON.parse(text) : text;
  } catch {
    return text;
  }
}

function withoutManagers(value: unknown): unknown {
  return pruned(value, (key) => key === 'managedFields');
}

/** Without the descriptions of columns, which are documentation. */
function withoutDescriptions(value: unknown): unknown {
  return typeof value === 'object' && value !== null && 'columnDefinitions' in value
    ? pruned(value, (key) => key === 'description')
    : value;
}

function pruned(value: unknown, drops: (key: string) => boolean): unknown {
  if (Array.isArray(value)) return value.map((item) => pruned(item, drops));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => !drops(key))
      .map(([key, item]) => [key, pruned(item, drops)]),
  );
}
