import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import { createServer, type Server, type TLSSocket } from 'node:tls';

import { DECISION_REVISION_ANNOTATION } from '../../src/api/names.js';
import { revisionOf } from '../../src/domain/placement/stored/decision.js';
import type { ServingCertificate } from '../../src/runtime/tls/serving.js';

/** A request as it was received. */
export interface ReceivedRequest {
  readonly method: string;
  readonly path: string;
  /** `name: value`, as sent. */
  readonly headers: readonly string[];
  readonly body: string;
}

/** Answers a request by writing to the socket, or misbehaves. */
export type Script = (request: ReceivedRequest, socket: TLSSocket) => void;

export const ENGINE = {
  apiVersion: 'multicluster.platform.io/v1alpha1',
  kind: 'MultiClusterEngine',
  metadata: { name: 'engine', resourceVersion: '7' },
  spec: {},
};
export const PLACEMENT = {
  apiVersion: 'cluster.fleetmgmt.io/v1alpha1',
  kind: 'Placement',
  metadata: { name: 'web', namespace: 'shop', resourceVersion: '8' },
  spec: {},
  status: { decisions: [{ name: 'web-decision-1', revision: revisionOf(['eu-1']) }] },
};
const DECISIONS = {
  apiVersion: 'cluster.fleetmgmt.io/v1alpha1',
  kind: 'PlacementDecisionList',
  metadata: { resourceVersion: '9' },
  items: [
    {
      metadata: {
        name: 'web-decision-1',
        annotations: { [DECISION_REVISION_ANNOTATION]: revisionOf(['eu-1']) },
      },
      status: { decisions: [{ clusterName: 'eu-1', reason: '' }] },
    },
  ],
};

/** A complete response as text. */
export function reply(status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): string {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const all = { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(text)), ...headers };
  return `HTTP/1.1 ${status} X\r\n${Object.entries(all)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('')}\r\n${text}`;
}

/** Answers as the Kubernetes API answers an allowed request, in outline. */
export const answerNormally: Script = ({ method, path }, socket) => {
  const [plain = ''] = path.split('?');
  if (plain.endsWith('/placementdecisions')) {
    socket.write(reply(200, DECISIONS));
    return;
  }
  const object = plain.includes('placements') ? PLACEMENT : ENGINE;
  const collection = /(?:placements|multiclusterengines)$/.test(plain);
  if (method === 'DELETE')
    socket.write(reply(200, { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success' }));
  else if (method === 'GET' && collection)
    socket.write(
      reply(200, { ...object, kind: `${object.kind}List`, metadata: { resourceVersion: '9' }, items: [object] }),
    );
  else socket.write(reply(method === 'POST' ? 201 : 200, object));
};

/** The path of the reviews of tokens, which come before the body of a request is read. */
const REVIEWS = '/apis/authentication.k8s.io/v1/selfsubjectreviews';

const acceptToken: Script = (_request, socket) => void socket.write(reply(201, { kind: 'SelfSubjectReview' }));

/** A TLS server that records every byte that it receives and answers by its scripts. */
export class RecordingUpstream {
  script: Script = answerNormally;
  /** Answers the reviews of tokens. */
  reviewScript: Script = acceptToken;
  /** All but the reviews of tokens. */
  readonly requests: ReceivedRequest[] = [];
  readonly reviews: ReceivedRequest[] = [];
  /** Decrypted bytes received over all connections. */
  bytes = 0;
  /** Everything received, as text. */
  text = '';
  readonly sockets = new Set<TLSSocket>();
  connections = 0;
  certificate: ServingCertificate;
  readonly #server: Server;
  /** The TCP connections, by the client's port. */
  readonly #plain = new Map<number | undefined, Socket>();

  constructor(pair: ServingCertificate) {
    this.certificate = pair;
    this.#server = createServer({ cert: pair.certificate, key: pair.privateKey });
    this.#server.on('connection', (plain: Socket) => {
      this.#plain.set(plain.remotePort, plain);
      plain.on('close', () => this.#plain.delete(plain.remotePort));
    });
    this.#server.on('secureConnection', (socket) => this.#serve(socket));
    this.#server.on('tlsClientError', () => undefined);
  }

  async start(port = 0): Promise<string> {
    this.#server.listen(port, '127.0.0.1');
    await once(this.#server, 'listening');
    const { port: taken } = this.#server.address() as AddressInfo;
    return `https://127.0.0.1:${taken}`;
  }

  /** Presents another certificate from now on. */
  present(pair: ServingCertificate): void {
    this.certificate = pair;
    this.#server.setSecureContext({ cert: pair.certificate, key: pair.privateKey });
  }

  /** Closes a connection with a TCP reset, which drops data in transit. */
  reset(socket: TLSSocket): void {
    this.#plain.get(socket.remotePort)?.resetAndDestroy();
  }

  async stop(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    if (!this.#server.listening) return;
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  #serve(socket: TLSSocket): void {
    this.connections += 1;
    this.sockets.add(socket);
    socket.on('close', () => this.sockets.delete(socket));
    socket.on('error', () => undefined);
    let pending = '';
    socket.on('data', (chunk: Buffer) => {
      this.bytes += chunk.length;
      pending += chunk.toString('latin1');
      this.text += chunk.toString('latin1');
      for (let request = take(pending); request !== undefined; request = take(pending)) {
        pending = request.rest;
        const review = request.request.path === REVIEWS;
        (review ? this.reviews : this.requests).push(request.request);
        (review ? this.reviewScript : this.script)(request.request, socket);
      }
    });
  }
}

function take(text: string): { readonly request: ReceivedRequest; readonly rest: string } | undefined {
  const end = text.indexOf('\r\n\r\n');
  if (end < 0) return undefined;
  const [line = '', ...headers] = text.slice(0, end).split('\r\n');
  const [method = '', path = ''] = line.split(' ');
  const length = Number(headers.find((one) => /^content-length:/i.test(one))?.split(':')[1] ?? 0);
  const begin = end + 4;
  if (text.length < begin + length) return undefined;
  const body = Buffer.from(text.slice(begin, begin + length), 'latin1').toString('utf8');
  return { request: { method, path, headers, body }, rest: text.slice(begin + length) };
}
