import { writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import type { RawObject } from '../../../src/runtime/vocabulary/meta.js';
import { TYPES } from '../../../src/answers/world/worlds.js';
import type { World } from '../../../src/answers/world/world.js';
import { apiVersionOf } from '../../../src/runtime/vocabulary/kinds.js';

/** The path of one object, in a namespace or in none. */
const NAMED = /^(\/apis\/[^/]+|\/api)\/[^/]+\/(namespaces\/[^/]+\/)?[^/]+\/[^/]+$/;

/** A hub over plain HTTP, for commands that run as processes: the objects of a world, and what each test adds. */
export class HttpHub {
  /** How far its clock is ahead of that of this machine, in ms. */
  aheadMs = 0;
  /** Whether it answers nothing more; connections stay open. */
  isSilent = false;
  /** The end of the path that it answers once, and never again. */
  onceAt: string | undefined;
  /** Watches that were opened. */
  watches = 0;
  /** What PATCH requests have sent. */
  readonly patches: string[] = [];
  /** Requests that have arrived. */
  requests = 0;
  /** Objects by the path of their GET. */
  readonly objects = new Map<string, object>();
  readonly #asked = new Set<string>();
  readonly #world: World;
  readonly #server: Server;

  constructor(world: World) {
    this.#world = world;
    this.#server = createServer((request, response) => {
      response.sendDate = false;
      response.setHeader('date', new Date(Date.now() + this.aheadMs).toUTCString());
      let body = '';
      request.on('data', (chunk: Buffer) => (body += chunk.toString()));
      request.on('end', () => {
        this.requests += 1;
        const [address = ''] = request.url?.split('?') ?? [];
        if (this.isSilent || this.#asked.has(address)) return;
        if (this.onceAt !== undefined && address.endsWith(this.onceAt)) this.#asked.add(address);
        this.#answer(request, response, body);
      });
    });
  }

  /** Writes a kubeconfig into the folder; resolves with its name. */
  async start(folder: string): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    const { port } = this.#server.address() as AddressInfo;
    const file = path.join(folder, 'kubeconfig');
    const content = {
      'current-context': 'hub',
      clusters: [{ name: 'hub', cluster: { server: `http://127.0.0.1:${port}` } }],
      users: [{ name: 'hub', user: { token: 't' } }],
      contexts: [{ name: 'hub', context: { cluster: 'hub', user: 'hub' } }],
    };
    writeFileSync(file, JSON.stringify(content));
    return file;
  }

  stop(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  #answer({ method, url = '/' }: IncomingMessage, response: ServerResponse, body: string): void {
    const { pathname, searchParams } = new URL(url, 'http://hub');
    if (pathname === '/version') return json(response, 200, { gitVersion: 'v1.36.3' });
    const single = this.#single(pathname);
    if (method === 'PATCH') {
      this.patches.push(body);
      return json(response, 200, single ?? {});
    }
    if (single !== undefined) return json(response, 200, single);
    const [plural = ''] = pathname.split('/').slice(-1);
    const type = Object.values(TYPES).find((one) => one.plural === plural);
    if (type === undefined) {
      // Of other kinds it has no object; it serves no list of them.
      const details = NAMED.test(pathname) ? { name: plural } : {};
      return json(response, 404, { kind: 'Status', details, message: `no ${pathname}` });
    }
    if (searchParams.get('watch') === 'true') return this.#watch(response, apiVersionOf(type), type.kind);
    const items = (this.#world.objects as Readonly<Record<string, readonly RawObject[]>>)[plural] ?? [];
    const list = { apiVersion: apiVersionOf(type), kind: `${type.kind}List`, metadata: { resourceVersion: '1' } };
    json(response, 200, { ...list, items: items.map((one) => stored(one)) });
  }

  /** A watch whose objects are those of the world, and never change. */
  #watch(response: ServerResponse, apiVersion: string, kind: string): void {
    this.watches += 1;
    response.writeHead(200, { 'content-type': 'application/json' });
    const plural = Object.values(TYPES).find((one) => one.kind === kind)?.plural ?? '';
    const items = (this.#world.objects as Readonly<Record<string, readonly RawObject[]>>)[plural] ?? [];
    for (const one of items)
      response.write(`${JSON.stringify({ type: 'ADDED', object: { apiVersion, kind, ...stored(one) } })}\n`);
    const annotations = { 'k8s.io/initial-events-end': 'true' };
    const object = { apiVersion, kind, metadata: { resourceVersion: '1', annotations } };
    response.write(`${JSON.stringify({ type: 'BOOKMARK', object })}\n`);
  }

  #single(pathname: string): object | undefined {
    const found = this.objects.get(pathname);
    if (found !== undefined) return found;
    const [, namespace, plural, name] = /\/namespaces\/([^/]+)\/([^/]+)\/([^/]+)$/.exec(pathname) ?? [];
    const all = (this.#world.objects as Readonly<Record<string, readonly RawObject[]>>)[plural ?? ''] ?? [];
    const one = all.find(({ metadata }) => metadata.namespace === namespace && metadata.name === name);
    const type = Object.values(TYPES).find((candidate) => candidate.plural === plural);
    return one && type && { apiVersion: apiVersionOf(type), kind: type.kind, ...stored(one) };
  }
}

function stored(object: RawObject): RawObject {
  const { metadata } = object;
  return { ...object, metadata: { uid: `uid-${metadata.name}`, resourceVersion: '1', ...metadata } };
}

function json(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
