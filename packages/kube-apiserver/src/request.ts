import type { Json } from '@multicluster-engine/values/json';
import type { UserInfo } from './user.js';

/** A request over HTTPS or from within the process. */
export interface ApiRequest {
  readonly method: string;
  /** Path and query of the request line. */
  readonly target: string;
  /** Names in lower case; repeated headers are joined by `, `, those of `impersonate-…` by line feeds. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /**
   * The bytes of the body; or a value, where a caller in the process has it decoded; or a function that reads the body,
   * called only after the request is authenticated and authorized.
   */
  readonly body: Uint8Array | Json | BodyReader | undefined;
  /** The authenticated user, without a token: only for requests from within the process. */
  readonly user?: UserInfo;
  readonly signal: AbortSignal;
  /** Client address for the audit log. */
  readonly from?: string;
}

/** Reads the whole body, once. Throws a StatusError where it is too large or incomplete. */
export type BodyReader = () => Promise<Uint8Array>;

export interface ApiResponse {
  readonly code: number;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body: ApiBody;
}

/** The body of a response. Callers within the process use the value without decoding. */
export type ApiBody =
  /** `value` is the decoded form of the bytes, where there is one. */
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array; readonly value?: Json }
  | { readonly kind: 'value'; readonly value: Json }
  /** A watch: one value per line, flushed at once; `encode` replaces the JSON line by another encoding. */
  | { readonly kind: 'stream'; readonly values: AsyncIterable<Json>; readonly encode?: (value: Json) => Uint8Array };
