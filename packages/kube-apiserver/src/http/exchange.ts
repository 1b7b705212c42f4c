import type { Requester } from './response/response.js';
import type { RequestInfo } from './requestinfo.js';
import type { RequestTarget } from './target.js';
import type { Json } from '@multicluster-engine/values/json';
import type { ApiRequest } from '../request.js';
import type { Caller } from '../verbs/verbs.js';

/** A request in progress: the requester, the target, and what is known so far. */
export interface Exchange {
  readonly request: ApiRequest;
  readonly target: RequestTarget;
  readonly info: RequestInfo;
  readonly requester: Requester;
  readonly caller: Caller;
  /** Records a decoded body for the audit log. */
  readonly recordBody: (body: Json) => void;
}

/** Size limit of a request body. */
export const MAX_BODY = 3 * 1024 * 1024;
