import type { Value } from './features.js';
import type { Kind } from './kinds.js';

export const NAMESPACE = '{{namespace}}';

/**
 * One request of a sequence. Path and body may hold `{{uid PATH}}` and `{{rv PATH}}`, which each side replaces by what it last saw of the
 * object at that path, and `{{namespace}}`.
 */
export interface RandomRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly body?: Value;
  readonly contentType?: string;
  readonly accept?: string;
  /** What is sent instead of the body, as it stands. */
  readonly text?: string;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  /** Stays open to the end of the sequence, unless it is refused. */
  readonly watch?: true;
}

/** What moves are made of: a kind, the few names it is played with, and the sequence's own words. */
export interface RequestContext {
  readonly kind: Kind;
  readonly names: readonly string[];
  /** Label that every object of the sequence begins with. */
  readonly label: string;
}

/** The collection of a kind. */
export function collectionOf(kind: Kind): string {
  const root = kind.apiVersion.includes('/') ? `/apis/${kind.apiVersion}` : `/api/${kind.apiVersion}`;
  return kind.namespaced ? `${root}/namespaces/${NAMESPACE}/${kind.plural}` : `${root}/${kind.plural}`;
}
