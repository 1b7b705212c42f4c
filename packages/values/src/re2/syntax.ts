import type { CharSet } from './charset.js';

/** Assertions, which consume no character: start and end of text or line, word boundaries. */
export type Assertion = 'textBegin' | 'textEnd' | 'lineBegin' | 'lineEnd' | 'wordBoundary' | 'noWordBoundary';

/** A node of the syntax tree; `cat`: all parts in sequence, `alt`: one of the parts. */
export type Node =
  | { readonly kind: 'empty' }
  | { readonly kind: 'set'; readonly set: CharSet }
  | { readonly kind: 'assert'; readonly what: Assertion }
  | { readonly kind: 'cat' | 'alt'; readonly parts: readonly Node[] }
  | {
      readonly kind: 'repeat';
      readonly node: Node;
      readonly min: number;
      readonly max: number | undefined;
      readonly lazy: boolean;
    };

/** An expression that Go's regexp rejects; the message is Go's. */
export class PatternError extends Error {
  override readonly name = 'PatternError';

  constructor(problem: string, expression: string) {
    super(`error parsing regexp: ${problem}: \`${expression}\``);
  }
}
