import { Environment, ParseError, type ASTNode } from '@marcbachmann/cel-js';

import { codePoints } from '../language/value.js';
import { convert, TooDeep, type Conversion } from './convert.js';
import type { Expr } from '../language/expression.js';
import { maskSource, type Mask } from './mask.js';
import { CompileError, type Problem } from '../language/problem.js';
import { syntaxProblem, skippedText } from './syntax.js';

const TOO_DEEP = 'max recursion depth exceeded';

/** The longest expression that the API server accepts, in code points. */
const MAX_LENGTH = 100_000;

const MAX_DEPTH = 250;

const parser = new Environment({
  enableOptionalTypes: true,
  unlistedVariablesAreDyn: true,
  limits: {
    maxAstNodes: MAX_LENGTH,
    maxDepth: MAX_DEPTH,
    maxListElements: MAX_LENGTH,
    maxMapEntries: MAX_LENGTH,
    maxCallArguments: MAX_LENGTH,
  },
});

/**
 * Parses an expression and expands its macros.
 * @throws CompileError
 */
export function parseExpression(source: string): Expr {
  if (source.length > MAX_LENGTH) {
    const length = codePoints(source);
    if (length > MAX_LENGTH)
      throw new CompileError(
        [{ at: -1, message: `expression code point size exceeds limit: size: ${length}, limit ${MAX_LENGTH}` }],
        source,
      );
  }
  const mask = maskSource(source);
  const conversion: Conversion = { source, mask, problems: [], depth: 0 };
  const expr = convertTree(parseTree(source, mask), conversion);
  if (conversion.problems.length > 0) throw new CompileError(conversion.problems, source);
  return expr;
}

function convertTree(tree: ASTNode, conversion: Conversion): Expr {
  try {
    return convert(tree, conversion);
  } catch (error) {
    if (!(error instanceof TooDeep) && !(error instanceof RangeError)) throw error;
    throw new CompileError([{ at: -1, message: TOO_DEEP }], conversion.source);
  }
}

/** The number of unexpected characters after which parsing stops. */
const MAX_SKIPPED = 100;

/**
 * Parses the source with optional entries and leading dots replaced, which the parser does not support: the `?` of an
 * entry becomes a `!`, which the conversion removes, and the dot becomes a blank.
 */
function parseTree(source: string, mask: Mask): ASTNode {
  const problems: Problem[] = [];
  let text = source;
  for (const at of mask.optionalMarks) text = `${text.slice(0, at)}!${text.slice(at + 1)}`;
  for (const at of mask.leadingDots) text = `${text.slice(0, at)} ${text.slice(at + 1)}`;
  for (;;) {
    try {
      const tree = parser.parse(text).ast;
      if (problems.length === 0) return tree;
    } catch (error) {
      const skipped =
        error instanceof ParseError && problems.length < MAX_SKIPPED
          ? skippedText(error, source, mask.text)
          : undefined;
      if (skipped === undefined) throw failure(error, source, { mask: mask.text, problems });
      problems.push(skipped.problem);
      text = text.slice(0, skipped.problem.at) + ' '.repeat(skipped.end - skipped.problem.at) + text.slice(skipped.end);
      continue;
    }
    throw new CompileError(problems, source);
  }
}

/**
 * Whether a depth error is about a chain of selections and calls: the parser counts these like brackets, but the API
 * server reports another error.
 */
function isChain(error: ParseError, mask: string): boolean {
  if (!error.message.includes('maxDepth')) return false;
  let depth = 0;
  let deepest = 0;
  for (const char of mask) {
    if ('([{?'.includes(char)) depth++;
    else if (')]}'.includes(char)) depth--;
    deepest = Math.max(deepest, depth);
  }
  return deepest < MAX_DEPTH / 2;
}

function failure(
  error: unknown,
  source: string,
  { mask, problems }: { readonly mask: string; readonly problems: readonly Problem[] },
): unknown {
  if (error instanceof ParseError && isChain(error, mask))
    return new CompileError([{ at: -1, message: TOO_DEEP }], source);
  if (error instanceof ParseError) return new CompileError([...problems, syntaxProblem(error, source, mask)], source);
  if (error instanceof RangeError)
    return new CompileError([{ at: -1, message: 'expression recursion limit exceeded: 250' }], source);
  return error;
}
