import type { Value } from './features.js';
import type { Kind } from './kinds.js';

export const NAMESPACE = '{{namespace}}';

/**
 * A request of a sequence. Path and body may contain `{{namespace}}`, and `{{uid PATH}}` and `{{rv PATH}}`, which each
 * server client replaces by uid and resourceVersion of the object last read at PATH.
 */
export interface RandomRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly body?: Value;
  readonly contentType?: string;
  readonly accept?: string;
  /** Text that is sent instead of the body, unchanged. */
  readonly text?: string;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  /** Whether the request is a watch, which stays open to the end of the sequence unless it is rejected. */
  readonly watch?: true;
}

/** The input of request generators. */
export interface RequestContext {
  readonly kind: Kind;
  readonly names: readonly string[];
  /** Value of the label `mark` of every object of the sequence. */
  readonly label: string;
}

/** The collection of a kind. */
export function collectionOf(kind: Kind): string {
  const root = kind.apiVersion.includes('/') ? `/apis/${kind.apiVersion}` : `/api/${kind.apiVersion}`;
  return kind.namespaced ? `${root}/namespaces/${NAMESPACE}/${kind.plural}` : `${root}/${kind.plural}`;
}
