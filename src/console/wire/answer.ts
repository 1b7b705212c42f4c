/** The JSON types of the console's API: what the server answers and the page reads. */

import type { ReadEvents } from '../../answers/explain/events.js';
import type { Meaning } from './find.js';
import type { Undecided } from '../../answers/undecided.js';

/** A collection that the reader may not list, or that is not served, and the HTTP code. */
export interface Withheld {
  readonly resource: string;
  readonly verb: string;
  readonly status: number;
  /** The only namespace in which it was read all the same. */
  readonly except?: string;
}

/** Every answer: computed from one reading of the hub. */
export interface Answer<T> {
  readonly data: T;
  /** When the hub was read, RFC 3339. */
  readonly asOf: string;
  /** Why the reading is old; absent while it is current. */
  readonly stale?: string;
  /** Why no decision changes, and what helps; absent where nothing that is known keeps the hub from deciding. */
  readonly undecided?: Undecided;
  /** What is missing from the answer. */
  readonly withheld: readonly Withheld[];
  /** The only namespace that was read; absent: all. */
  readonly namespace?: string;
}

/** Every error: a Status of the Kubernetes API. */
export interface Status {
  readonly kind: 'Status';
  readonly apiVersion: 'v1';
  readonly status: 'Failure';
  readonly code: number;
  readonly reason: string;
  readonly message: string;
  /** Of an object that was not found: what was probably meant. */
  readonly meant?: readonly Meaning[];
}

/** The header of an answer 304 that says when the hub was read. */
export const AS_OF_HEADER = 'as-of';

/** The header of every answer that names the page which the server has: a tab that has another one is to be loaded again. */
export const BUILD_HEADER = 'console-build';

/** The header of a request that names the only namespace to read where all of them may not be read. */
export const NAMESPACE_HEADER = 'console-namespace';

/** Some of the events that were asked for, the newest first. */
export interface EventsPart extends Pick<ReadEvents, 'rows'> {
  readonly total: number;
}

/** An object, as `kubectl get -o yaml` prints it. */
export interface ObjectYaml {
  readonly text: string;
}

/** What the person may do with an object, as the API server says. */
export interface Rights {
  readonly patch: boolean;
}

export interface Session {
  /** Host and port of the API server. */
  readonly hub: string;
  /** The context of the kubeconfig, by which kubectl reaches the same hub. */
  readonly context: string;
  /** Which credentials are used: the name of the kubeconfig's user, or whom it impersonates. */
  readonly user: string;
  /** The namespace of objects that name none. */
  readonly namespace: string;
  /** What opens a session here: a link that the command prints, or a token of the hub. */
  readonly by: 'link' | 'token';
  /** When the token ends, RFC 3339; absent where that is not known, and for a link. */
  readonly until?: string;
  /** To be sent with each request; only in the answer to the code of a link. */
  readonly key?: string;
}
