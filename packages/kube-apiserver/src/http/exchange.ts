import type { Asker } from './answer.js';
import type { RequestInfo } from './requestinfo.js';
import type { RequestTarget } from './target.js';
import type { Json } from '../json.js';
import type { ApiRequest } from '../server.js';
import type { Caller } from '../verbs/verbs.js';

/** A request on its way: who asks, what for, and what was found out until now. */
export interface Exchange {
  readonly request: ApiRequest;
  readonly target: RequestTarget;
  readonly info: RequestInfo;
  readonly asker: Asker;
  readonly caller: Caller;
  /** Remembers a decoded body for the audit log. */
  readonly note: (body: Json) => void;
}

/** Bytes that a request may hold. */
export const MAX_BODY = 3 * 1024 * 1024;
