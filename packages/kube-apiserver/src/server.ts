import type { Json } from './json.js';
import type { UserInfo } from './user.js';

/** A request, by HTTPS or from within the process. */
export interface ApiRequest {
  readonly method: string;
  /** Path and query, as on the request line. */
  readonly target: string;
  /** Names in lower case; what came several times is joined by `, `, of `impersonate-…` by line feeds. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /**
   * Bytes as they came, a value that a caller in the process saves itself writing down, or a way to read what is still
   * on the wire: it is read only once it is known who asks, and that they may.
   */
  readonly body: Uint8Array | Json | BodyReader | undefined;
  /** Known without a token: only from within the process. */
  readonly user?: UserInfo;
  readonly signal: AbortSignal;
  /** Address of the client, for the audit log. */
  readonly from?: string;
}

/** Reads the whole body once; throws the StatusError of one that is too large or does not come to an end. */
export type BodyReader = () => Promise<Uint8Array>;

export interface ApiResponse {
  readonly code: number;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body: ApiBody;
}

/** What an answer holds; who asked from within the process takes the value as it is. */
export type ApiBody =
  /** `value` where the bytes are a value written down for people. */
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array; readonly value?: Json }
  | { readonly kind: 'value'; readonly value: Json }
  /** A watch: one value per line, flushed as they come; `encode` where each is written otherwise than as a line of JSON. */
  | { readonly kind: 'stream'; readonly values: AsyncIterable<Json>; readonly encode?: (value: Json) => Uint8Array };
