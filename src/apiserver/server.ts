import type { Json } from './json.js';
import type { UserInfo } from './user.js';

/** A request, by HTTPS or from within the process. */
export interface ApiRequest {
  readonly method: string;
  /** Path and query, as on the request line. */
  readonly target: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** Bytes as they came, or a value that a caller in the process saves itself writing down. */
  readonly body: Uint8Array | Json | undefined;
  /** Known without a token: only from within the process. */
  readonly user?: UserInfo;
  readonly signal: AbortSignal;
}

export interface ApiResponse {
  readonly code: number;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body: ApiBody;
}

/** What an answer holds; who asked from within the process takes the value as it is. */
export type ApiBody =
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array }
  | { readonly kind: 'value'; readonly value: Json }
  /** A watch: one value per line, flushed as they come. */
  | { readonly kind: 'stream'; readonly values: AsyncIterable<Json> };
