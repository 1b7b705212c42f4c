import { connect, type ConnectionOptions, type TLSSocket } from 'node:tls';

import { mustConform, type Reply } from './openapi/conformance.js';

export interface RawClientOptions {
  readonly port: number;
  readonly ca: string;
  readonly tls?: ConnectionOptions;
  /** How long to wait for the responses, in ms. */
  readonly deadlineMs?: number;
  /** The responses have a Content-Length but no body, as those to HEAD. */
  readonly bodiless?: boolean;
  /** Whether the gateway runs with strict status codes. */
  readonly strict?: boolean;
}

/** What was received over one connection. */
export interface WireResult {
  readonly replies: readonly Reply[];
  /** Whether the server closed the connection. */
  readonly closed: boolean;
  readonly bytes: Buffer;
}

/** Opens a TLS connection. */
export function open({ port, ca, tls = {} }: RawClientOptions): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', ca, servername: 'localhost', ...tls });
    socket.once('error', reject);
    socket.once('secureConnect', () => {
      socket.off('error', reject);
      socket.on('error', () => undefined);
      resolve(socket);
    });
  });
}

/**
 * Sends bytes unchanged over a new connection and reads until `wanted` final responses were received, the server
 * closes, or the deadline has passed. Each response is checked against the OpenAPI document.
 */
export async function sendRaw(bytes: string | Buffer, options: RawClientOptions, wanted = 1): Promise<WireResult> {
  const socket = await open(options);
  try {
    const begin = (): void => void socket.write(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes);
    const result = await readReplies(socket, begin, { wanted, ...options });
    for (const reply of options.bodiless === true ? [] : result.replies)
      mustConform(...lineOf(bytes), reply, options.strict);
    return result;
  } finally {
    socket.destroy();
  }
}

/** Method and target of the request line. */
function lineOf(bytes: string | Buffer): [method: string, target: string] {
  const [method = '', target = ''] = bytes.slice(0, 400).toString('latin1').split(' ', 2);
  return [method, target];
}

export interface Reading {
  readonly wanted?: number;
  readonly deadlineMs?: number;
  readonly bodiless?: boolean;
}

/** Reads responses from an open connection; `begin` is called when the reader listens. */
export function readReplies(socket: TLSSocket, begin: () => void, reading: Reading = {}): Promise<WireResult> {
  const { wanted = 1, deadlineMs = 60_000, bodiless = false } = reading;
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let settled = false;
    const settle = (closed: boolean): void => {
      if (settled) return;
      settled = true;
      clearTimeout(timer);
      const all = Buffer.concat(chunks);
      resolve({ replies: parseReplies(all, bodiless), closed, bytes: all });
    };
    const timer = setTimeout(() => settle(false), deadlineMs);
    socket.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      const replies = parseReplies(Buffer.concat(chunks), bodiless);
      if (replies.length >= wanted && !replies.some((one) => one.headers['connection'] === 'close')) settle(false);
    });
    socket.once('end', () => settle(true));
    socket.once('close', () => settle(true));
    begin();
  });
}

/** The final responses in a stream of bytes, without informational ones. Throws when it is not HTTP/1.1. */
export function parseReplies(bytes: Buffer, bodiless = false): Reply[] {
  const replies: Reply[] = [];
  let text = bytes.toString('latin1');
  while (text !== '') {
    const end = text.indexOf('\r\n\r\n');
    if (end < 0) break;
    const [line = '', ...fields] = text.slice(0, end).split('\r\n');
    const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(line)?.[1] ?? Number.NaN);
    if (Number.isNaN(status)) throw new Error(`no status line: ${JSON.stringify(line)}`);
    const headers: Record<string, string> = {};
    for (const field of fields) {
      const [, name = '', value = ''] = /^([^:]+): ?(.*)$/.exec(field) ?? [];
      const key = name.toLowerCase();
      headers[key] = headers[key] === undefined ? value : `${headers[key]}, ${value}`;
    }
    const body =
      status < 200 || bodiless ? { text: '', rest: text.slice(end + 4) } : bodyOf(text.slice(end + 4), headers);
    if (body === undefined) break;
    text = body.rest;
    if (status >= 200) replies.push({ status, headers, body: Buffer.from(body.text, 'latin1').toString('utf8') });
  }
  return replies;
}

function bodyOf(
  text: string,
  headers: Readonly<Record<string, string>>,
): { readonly text: string; readonly rest: string } | undefined {
  if (headers['transfer-encoding'] === 'chunked') return chunkedBody(text);
  const length = Number(headers['content-length'] ?? 0);
  return text.length < length ? undefined : { text: text.slice(0, length), rest: text.slice(length) };
}

function chunkedBody(text: string): { readonly text: string; readonly rest: string } | undefined {
  let body = '';
  let at = 0;
  for (;;) {
    const line = text.indexOf('\r\n', at);
    if (line < 0) return undefined;
    const size = Number.parseInt(text.slice(at, line), 16);
    if (text.length < line + 2 + size + 2) return undefined;
    if (size === 0) return { text: body, rest: text.slice(line + 4) };
    body += text.slice(line + 2, line + 2 + size);
    at = line + 2 + size + 2;
  }
}
