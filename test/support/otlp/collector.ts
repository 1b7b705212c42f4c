import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

import { spansIn, type ReceivedSpan } from './protobuf.js';

/** A collector in this process that receives OTLP over HTTP. */
export interface Collector {
  /** For OTEL_EXPORTER_OTLP_ENDPOINT. */
  readonly endpoint: string;
  readonly spans: readonly ReceivedSpan[];
  /** The headers of the requests with spans. */
  readonly headers: readonly IncomingHttpHeaders[];
  /** What it answers with from now on, also to requests that wait; undefined: requests wait. */
  answer(code: number | undefined): void;
  stop(): Promise<void>;
}

export async function startCollector(): Promise<Collector> {
  const spans: ReceivedSpan[] = [];
  const headers: IncomingHttpHeaders[] = [];
  const waiting: (() => void)[] = [];
  let code: number | undefined = 200;
  const server = createServer((request, response) => {
    void buffer(request).then((bytes) => {
      headers.push(request.headers);
      const respond = (): void => {
        if (code === 200 && request.method === 'POST' && request.url === '/v1/traces') spans.push(...spansIn(bytes));
        response.writeHead(code ?? 500, { 'content-type': 'application/x-protobuf' }).end();
      };
      if (code === undefined) waiting.push(respond);
      else respond();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    endpoint: `http://127.0.0.1:${port}`,
    spans,
    headers,
    answer: (next) => {
      code = next;
      if (next !== undefined) for (const respond of waiting.splice(0)) respond();
    },
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
