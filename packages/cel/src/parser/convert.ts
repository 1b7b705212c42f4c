import type { ASTNode } from '@marcbachmann/cel-js';

import { Uint, type Value } from '../language/value.js';
import { bytesLiteral } from './bytes.js';
import { OPERATOR, type Call, type Expr } from '../language/expression.js';
import { expandMacro } from './macro.js';
import type { Mask } from './mask.js';
import type { Problem } from '../language/problem.js';
import { isEnclosed, operatorAt, relationTree, type Relation } from './relation.js';

/** The state of the conversion of a syntax tree. Problems are collected. */
export interface Conversion {
  readonly source: string;
  readonly mask: Mask;
  readonly problems: Problem[];
  /** The depth of operations around the current node. */
  depth: number;
}

/** The expression nests deeper than the API server allows. */
export class TooDeep extends Error {}

const MAX_DEPTH = 250;

function withDepth<T>(at: Conversion, work: () => T): T {
  at.depth++;
  if (at.depth > MAX_DEPTH) throw new TooDeep();
  const result = work();
  at.depth--;
  return result;
}

type Node<Op extends ASTNode['op']> = Extract<ASTNode, { op: Op }>;

/**
 * Converts a syntax tree of the parser to an Expr: expands macros and computes the positions that messages refer to.
 */
export function convert(node: ASTNode, at: Conversion): Expr {
  switch (node.op) {
    case 'value':
      return literal(node, at);
    case 'id':
      return { kind: 'ident', name: node.args, at: node.start };
    case '.':
      return {
        kind: 'select',
        operand: withDepth(at, () => convert(node.args[0], at)),
        field: node.args[1],
        test: false,
        at: dotBefore(node, at),
      };
    case '.?':
      return optionalSelect(node, at);
    case '[]':
      return index(node, OPERATOR.index, at);
    case '[?]':
      return index(node, OPERATOR.optionalIndex, at);
    case 'call':
      return callNode(node, undefined, node.args[1], at);
    case 'rcall':
      return callNode(node, node.args[1], node.args[2], at);
    case 'list':
      return {
        kind: 'list',
        items: node.args.map((item) => ({ value: convert(item, at), optional: isOptionalEntry(item, at) })),
        at: node.start,
      };
    case 'map':
      return map(node, at);
    case '?:':
      return conditional(node, at);
    case '!_':
      return negation(node, OPERATOR.not, at);
    case '-_':
      return negation(node, OPERATOR.negate, at);
    case '||':
    case '&&':
      return logical(node, at);
    case '+':
    case '-':
    case '*':
    case '/':
    case '%':
      return binary(node, at);
    default:
      return relationCall(relationTree(node, at.mask), at);
  }
}

function call(name: string, args: readonly Expr[], at: number): Call {
  return { kind: 'call', name, target: undefined, args, at };
}

function literal(node: Node<'value'>, { source, problems, mask }: Conversion, negative = false): Expr {
  const value = mask.leadingDots.has(node.start - 1)
    ? Number(source.slice(node.start - 1, node.end))
    : literalValue(node, source);
  const signed = negative && (typeof value === 'bigint' || typeof value === 'number') ? -value : value;
  if (typeof signed === 'bigint' && BigInt.asIntN(64, signed) !== signed)
    problems.push({ at: node.start, message: 'invalid int literal' });
  return { kind: 'literal', value: signed, at: node.start };
}

function literalValue(node: Node<'value'>, source: string): Value {
  const value = node.args;
  if (value instanceof Uint8Array) return bytesLiteral(source.slice(node.start, node.end));
  if (value === null || typeof value !== 'object') return value;
  return new Uint(BigInt(value.valueOf()));
}

/** The position of the dot of a selection. The parser reports the position of the field name. */
function dotBefore(node: Node<'.' | '.?'>, { mask }: Conversion): number {
  return mask.text.lastIndexOf('.', node.pos);
}

function optionalSelect(node: Node<'.?'>, at: Conversion): Expr {
  const [operand, field] = node.args;
  return call(
    OPERATOR.optionalSelect,
    [withDepth(at, () => convert(operand, at)), { kind: 'literal', value: field, at: node.pos }],
    dotBefore(node, at),
  );
}

function index(node: Node<'[]' | '[?]'>, name: string, at: Conversion): Expr {
  const [operand, key] = node.args;
  return call(
    name,
    withDepth(at, () => [convert(operand, at), convert(key, at)]),
    at.mask.text.indexOf('[', operand.end),
  );
}

function callNode(
  node: Node<'call' | 'rcall'>,
  receiver: ASTNode | undefined,
  args: readonly ASTNode[],
  at: Conversion,
): Expr {
  const target = receiver === undefined ? undefined : withDepth(at, () => convert(receiver, at));
  const name = receiver === undefined ? node.start : at.mask.text.indexOf('.', receiver.end);
  const plain: Call = {
    kind: 'call',
    name: node.args[0],
    target,
    args: args.map((arg) => convert(arg, at)),
    at: at.mask.text.indexOf('(', name),
  };
  const expanded = expandMacro(plain);
  if ('message' in expanded) at.problems.push(expanded);
  return 'message' in expanded ? plain : expanded;
}

function map(node: Node<'map'>, at: Conversion): Expr {
  const entries = node.args.map(([key, value]) => ({
    key: convert(key, at),
    value: convert(value, at),
    optional: isOptionalEntry(key, at),
  }));
  return { kind: 'map', entries, at: node.start };
}

/** Whether the entry that begins at the node is optional (`?`). */
function isOptionalEntry(node: ASTNode, { mask }: Conversion): boolean {
  return mask.optionalMarks.has(node.start);
}

function conditional(node: Node<'?:'>, at: Conversion): Expr {
  const [condition, yes, no] = node.args;
  if (yes.op === '?:' && !isEnclosed(yes, at.mask))
    at.problems.push({
      at: at.mask.text.indexOf('?', yes.args[0].end),
      message: "Syntax error: mismatched input '?' expecting ':'",
    });
  return call(
    OPERATOR.conditional,
    [convert(condition, at), convert(yes, at), convert(no, at)],
    at.mask.text.indexOf('?', condition.end),
  );
}

function negation(node: Node<'!_' | '-_'>, name: string, at: Conversion): Expr {
  const inner = node.args;
  if (isOptionalEntry(node, at)) return convert(inner, at);
  const between = at.mask.text.slice(node.start + 1, inner.start);
  if (name === OPERATOR.negate && inner.op === 'value' && between.trim() === '' && typeof inner.args !== 'string') {
    return { ...literal(inner, at, true), at: node.start };
  }
  // Two signs cancel each other.
  if (inner.op === node.op && between.trim() === '') return convert(inner.args, at);
  return call(name, [convert(inner, at)], node.start);
}

function binary(node: Node<'+' | '-' | '*' | '/' | '%'>, at: Conversion): Expr {
  const [left, right] = node.args;
  return call(
    `_${node.op}_`,
    withDepth(at, () => [convert(left, at), convert(right, at)]),
    operatorAt(node.op, left, right, at.mask),
  );
}

/** `a && b && c …`: a balanced tree of terms, as in the API server. */
function logical(node: Node<'||' | '&&'>, at: Conversion): Expr {
  const terms: ASTNode[] = [];
  const places: number[] = [];
  let rest: ASTNode = node;
  while (rest.op === node.op && (rest === node || !isEnclosed(rest, at.mask))) {
    const [left, right]: [ASTNode, ASTNode] = rest.args;
    terms.push(right);
    places.push(operatorAt(node.op, left, right, at.mask));
    rest = left;
  }
  terms.push(rest);
  return balanced(
    `_${node.op}_`,
    terms.reverse().map((term) => convert(term, at)),
    places.reverse(),
  );
}

function balanced(name: string, terms: readonly Expr[], places: readonly number[]): Expr {
  const [only] = terms;
  if (terms.length === 1 && only !== undefined) return only;
  const middle = places.length >> 1;
  const sides = [
    balanced(name, terms.slice(0, middle + 1), places.slice(0, middle)),
    balanced(name, terms.slice(middle + 1), places.slice(middle + 1)),
  ];
  return call(name, sides, places[middle] ?? 0);
}

function relationCall(relation: Relation, at: Conversion): Expr {
  const left = withDepth(at, () =>
    'operator' in relation.left ? relationCall(relation.left, at) : convert(relation.left, at),
  );
  const name = relation.operator === 'in' ? OPERATOR.in : `_${relation.operator}_`;
  return call(name, [left, convert(relation.right, at)], relation.at);
}
