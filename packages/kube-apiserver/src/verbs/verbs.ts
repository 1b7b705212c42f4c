import type { JsonObject } from '../json.js';
import type { KubeObject } from '../object.js';
import type { Resource } from '../resource.js';
import type { Body } from '../schema/body/body.js';
import type { UserInfo } from '../user.js';

/** What a request is about, after its path was read. */
export interface Target {
  readonly resource: Resource;
  /** '' for cluster-scoped resources and for all namespaces. */
  readonly namespace: string;
  /** '' for the collection. */
  readonly name: string;
  /** '' for the main resource. */
  readonly subresource: string;
}

/** Who asks, and where to put what is said besides the answer. */
export interface Caller {
  readonly user: UserInfo;
  /** `User-Agent` up to the first `/`: the field manager of who names none. */
  readonly agent: string;
  /** Adds a `Warning` header. */
  readonly warn: (text: string) => void;
  /** Adds an annotation to the event of the audit log; of a key that comes again the first value stays. */
  readonly annotate?: (key: string, value: string) => void;
  readonly signal: AbortSignal;
}

/** Query parameters as text, exactly as given (undefined: absent); the verbs check them. */
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
  /** The one parameter of which every value counts. */
  readonly dryRun?: string | readonly string[];
};

export type PatchType = 'json' | 'merge' | 'strategic' | 'apply';

/** An object and the code that goes with it: 200, or 201 when it is new. */
export interface Written {
  readonly code: 200 | 201;
  readonly object: KubeObject;
}

/** A list before it is written down: items are in the version of the resource. */
export interface Listed {
  readonly items: readonly KubeObject[];
  readonly resourceVersion: string;
  /** undefined where the key is left out (built-ins at the end of a list); '' for custom resources there. */
  readonly continue: string | undefined;
  readonly remainingItemCount: number | undefined;
}

export type WatchEvent =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly object: KubeObject }
  /** metadata with resourceVersion, and the annotation k8s.io/initial-events-end where it ends the initial events. */
  | { readonly type: 'BOOKMARK'; readonly object: KubeObject }
  /** A Status; the stream ends after it. */
  | { readonly type: 'ERROR'; readonly object: JsonObject };

/**
 * The verbs of the API on decoded requests: no HTTP, no JSON text. Each throws StatusError. Authorization has been done
 * by the caller. Reads see durable state; everything up to a write's acceptance by the store happens in one step.
 */
export interface Verbs {
  /** A revision that is not there yet is waited for, as by `list` and `deleteCollection`: three seconds at most. */
  get(target: Target, query: Query): KubeObject | Promise<KubeObject>;
  list(target: Target, query: Query): Listed | Promise<Listed>;
  /**
   * Events as they become durable; ends when `signal` of the caller fires, at timeoutSeconds, when the reader is too slow
   * (1,000 events behind), or when the resource is no longer served.
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
  /** The object while finalizers hold it, else a Status of success. `body`: DeleteOptions, if any were sent. */
  delete(target: Target, body: Body | undefined, query: Query, caller: Caller): Promise<JsonObject>;
  deleteCollection(target: Target, body: Body | undefined, query: Query, caller: Caller): Promise<Listed>;
}
