import type { JsonObject } from '@multicluster-engine/values/json';
import type { KubeObject } from '@multicluster-engine/values/object';
import type { Resource } from '../resource.js';
import type { Body } from '../schema/body/body.js';
import type { UserInfo } from '../user.js';

/** The target of a request, from its path. */
export interface Target {
  readonly resource: Resource;
  /** '' for cluster-scoped resources and for all namespaces. */
  readonly namespace: string;
  /** '' for the collection. */
  readonly name: string;
  /** '' for the main resource. */
  readonly subresource: string;
}

/** The requester, and the channels beside the response. */
export interface Caller {
  readonly user: UserInfo;
  /** `User-Agent` up to the first `/`: the default field manager. */
  readonly agent: string;
  /** Adds a `Warning` header. */
  readonly warn: (text: string) => void;
  /** Adds an annotation to the audit event; the first value of a key is kept. */
  readonly annotate?: (key: string, value: string) => void;
  readonly signal: AbortSignal;
}

/** Query parameters as given (undefined: absent); the verbs validate them. */
export type Query = Readonly<
  Partial<
    Record<
      | 'fieldManager'
      | 'fieldValidation'
      | 'force'
      | 'pretty'
      | 'labelSelector'
      | 'fieldSelector'
      | 'limit'
      | 'continue'
      | 'resourceVersion'
      | 'resourceVersionMatch'
      | 'timeoutSeconds'
      | 'allowWatchBookmarks'
      | 'sendInitialEvents'
      | 'watch'
      | 'gracePeriodSeconds'
      | 'uid'
      | 'propagationPolicy'
      | 'orphanDependents',
      string
    >
  >
> & {
  /** The only parameter of which all values are used. */
  readonly dryRun?: string | readonly string[];
};

export type PatchType = 'json' | 'merge' | 'strategic' | 'apply';

/** An object and its status code: 200, or 201 where it was created. */
export interface Written {
  readonly code: 200 | 201;
  readonly object: KubeObject;
}

/** A list before encoding; items are in the version of the resource. */
export interface Listed {
  readonly items: readonly KubeObject[];
  readonly resourceVersion: string;
  /** undefined where the key is omitted (built-in kinds, on the last page); '' for custom resources there. */
  readonly continue: string | undefined;
  readonly remainingItemCount: number | undefined;
}

export type WatchEvent =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly object: KubeObject }
  /** metadata has resourceVersion, and the annotation k8s.io/initial-events-end where it ends the initial events. */
  | { readonly type: 'BOOKMARK'; readonly object: KubeObject }
  /** A Status; the stream ends after it. */
  | { readonly type: 'ERROR'; readonly object: JsonObject };

/**
 * The verbs of the API on decoded requests, without HTTP. Each throws StatusError. The caller has authorized the
 * request. Reads see durable state; everything up to the store's acceptance of a write is atomic.
 */
export interface Verbs {
  /** Waits up to three seconds for a revision that does not exist yet, as `list` and `deleteCollection` do. */
  get(target: Target, query: Query): KubeObject | Promise<KubeObject>;
  list(target: Target, query: Query): Listed | Promise<Listed>;
  /**
   * Events as changes become durable. Ends when the caller's `signal` fires, after timeoutSeconds, when the reader is
   * too slow (1,000 events behind), or when the resource is no longer served.
   */
  watch(target: Target, query: Query, caller: Caller): AsyncIterable<WatchEvent>;
  create(target: Target, body: Body, query: Query, caller: Caller): Promise<Written>;
  update(target: Target, body: Body, query: Query, caller: Caller): Promise<Written>;
  patch(
    target: Target,
    patch: { readonly type: PatchType; readonly body: Body },
    query: Query,
    caller: Caller,
  ): Promise<Written>;
  /** The object while finalizers hold it, otherwise a Status of success. `body`: DeleteOptions, if any were sent. */
  delete(target: Target, body: Body | undefined, query: Query, caller: Caller): Promise<JsonObject>;
  deleteCollection(target: Target, body: Body | undefined, query: Query, caller: Caller): Promise<Listed>;
}

/** Handles a subresource that can only be posted, and whose response is not the object. */
export type PostHandler = (
  target: Target,
  body: Body,
  request: { readonly query: Query; readonly caller: Caller },
) => Promise<Written>;
