import { Environment, ParseError, type ASTNode } from '@marcbachmann/cel-js';

import { codePoints } from '../runtime/value.js';
import { convert, type Conversion } from './convert.js';
import type { Expr } from './expression.js';
import { maskSource, type Mask } from './mask.js';
import { CompileError, type Problem } from './problem.js';
import { syntaxProblem, unreadable } from './syntax.js';

/** Longest expression that the real server reads, in code points. */
const MAX_LENGTH = 100_000;

const parser = new Environment({
  enableOptionalTypes: true,
  unlistedVariablesAreDyn: true,
  limits: { maxAstNodes: MAX_LENGTH, maxDepth: 250, maxListElements: MAX_LENGTH, maxMapEntries: MAX_LENGTH, maxCallArguments: MAX_LENGTH },
});

/** Reads an expression and expands its macros. Throws CompileError. */
export function parseExpression(source: string): Expr {
  if (source.length > MAX_LENGTH) {
    const length = codePoints(source);
    if (length > MAX_LENGTH) throw new CompileError([{ at: -1, message: `expression code point size exceeds limit: size: ${length}, limit ${MAX_LENGTH}` }], source);
  }
  const mask = maskSource(source);
  const conversion: Conversion = { source, mask, problems: [] };
  const expr = convert(parseTree(source, mask), conversion);
  if (conversion.problems.length > 0) throw new CompileError(conversion.problems, source);
  return expr;
}

/** Most characters that are no token before it is given up. */
const MAX_UNREADABLE = 100;

/**
 * The parser knows no optional entries and no leading dots: the `?` of an entry becomes a `!`, which the conversion takes
 * away again, and the dot becomes a blank.
 */
function parseTree(source: string, mask: Mask): ASTNode {
  const problems: Problem[] = [];
  let text = source;
  for (const at of mask.optional) text = `${text.slice(0, at)}!${text.slice(at + 1)}`;
  for (const at of mask.leading) text = `${text.slice(0, at)} ${text.slice(at + 1)}`;
  for (;;) {
    try {
      const tree = parser.parse(text).ast;
      if (problems.length === 0) return tree;
    } catch (error) {
      const skipped = error instanceof ParseError && problems.length < MAX_UNREADABLE ? unreadable(error, source, mask.text) : undefined;
      if (skipped === undefined) throw failure(error, source, { mask: mask.text, problems });
      problems.push(skipped.problem);
      text = text.slice(0, skipped.problem.at) + ' '.repeat(skipped.end - skipped.problem.at) + text.slice(skipped.end);
      continue;
    }
    throw new CompileError(problems, source);
  }
}

function failure(error: unknown, source: string, { mask, problems }: { readonly mask: string; readonly problems: readonly Problem[] }): unknown {
  if (error instanceof ParseError) return new CompileError([...problems, syntaxProblem(error, source, mask)], source);
  if (error instanceof RangeError) return new CompileError([{ at: -1, message: 'expression recursion limit exceeded: 250' }], source);
  return error;
}
