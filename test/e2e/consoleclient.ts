import { request } from 'node:https';
import { DEFAULT_TARGET_NAMESPACE } from '../../src/api/names.js';
import { field, parseJson } from '../../src/runtime/vocabulary/json.js';
import { waitFor } from '@multicluster-engine/kube-apiserver/testing/wait';
import type { Hub } from '../support/hub/hub.js';
import type { Pod } from '../support/hub/pod.js';
import { fields, text } from '../support/scenario/checks/reading.js';

const TARGET = DEFAULT_TARGET_NAMESPACE;
const TRUST = `/api/v1/namespaces/${TARGET}/configmaps/console-ca`;
const NAME = `console.${TARGET}.svc`;
const MINUTE = 60_000;

/** What a browser sends with the requests of the page. */
const OF_THE_PAGE = { 'sec-fetch-site': 'same-origin', 'content-type': 'application/json' };

/** The console that an engine has installed, as a browser sees it. */
export class HubConsole {
  readonly pod: Pod;
  /** All that it has answered. */
  seen = '';
  readonly #ca: string;
  #token = '';

  private constructor(pod: Pod, ca: string) {
    this.pod = pod;
    this.#ca = ca;
  }

  /** Waits until the console of the engine is ready, and trusts what `console-ca` publishes. */
  static async open(hub: Hub): Promise<HubConsole> {
    const options = { deadlineMs: 2 * MINUTE };
    const pod = await waitFor('the console to run', () => hub.components.pods(TARGET, 'console')[0], options);
    await pod.ready(options);
    return new HubConsole(pod, text(fields((await hub.get(TRUST))?.['data'])['ca.crt']));
  }

  /** Asks with this token from now on; the code of the answer. */
  async logIn(token: string): Promise<number> {
    this.#token = token;
    return (await this.#ask('session', {})).code;
  }

  /** The data of an answer, or its code. `headers`: beside those of the page. */
  async read(route: string, body?: object, headers: Readonly<Record<string, string>> = {}): Promise<unknown> {
    const { code, text: answer } = await this.#ask(route, { headers, ...(body && { body }) });
    return code === 200 ? field(parseJson(answer), 'data') : code;
  }

  /** What is missing from an answer. */
  async withheld(route: string): Promise<unknown> {
    return field(parseJson((await this.#ask(route, {})).text), 'withheld');
  }

  /** The code of what is answered to everybody at a path. */
  async everybody(path: string): Promise<number> {
    return (await this.#send(path, 'GET', {})).code;
  }

  async #ask(
    route: string,
    { body, headers }: { readonly body?: object; readonly headers?: Readonly<Record<string, string>> },
  ): Promise<Answered> {
    const method = body === undefined ? 'GET' : 'POST';
    const path = `/api/v1/${route}`;
    const sent = { ...OF_THE_PAGE, ...(this.#token && { authorization: `Bearer ${this.#token}` }), ...headers };
    return this.#send(path, method, sent, body && JSON.stringify(body));
  }

  #send(path: string, method: string, headers: Readonly<Record<string, string>>, body?: string): Promise<Answered> {
    const port = this.pod.addresses['MULTICLUSTER_ENGINE_LISTEN']?.split(':')[1];
    const own = { host: `${NAME}:${port}`, ...headers };
    const options = { host: '127.0.0.1', port, servername: NAME, ca: this.#ca, path, method, headers: own };
    return new Promise((resolve, reject) => {
      const sent = request(options, (response) => {
        let answer = '';
        response.on('data', (chunk: Buffer) => (answer += chunk.toString()));
        response.on('end', () => {
          this.seen += answer + JSON.stringify(response.headers);
          resolve({ code: response.statusCode ?? 0, text: answer });
        });
      });
      sent.on('error', reject);
      sent.end(body);
    });
  }
}

interface Answered {
  readonly code: number;
  readonly text: string;
}
