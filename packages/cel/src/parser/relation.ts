import type { ASTNode } from '@marcbachmann/cel-js';

import { lastVisible, type Mask } from './mask.js';

/**
 * A comparison. Chained comparisons nest to the left whatever their operators: CEL gives them all the same precedence.
 */
export interface Relation {
  readonly operator: string;
  readonly left: Relation | ASTNode;
  readonly right: ASTNode;
  readonly at: number;
}

type Comparison = Extract<ASTNode, { op: '==' | '!=' | '<' | '<=' | '>' | '>=' | 'in' }>;

interface Link {
  readonly operator: string;
  readonly at: number;
  readonly right: ASTNode;
}

/** The chain of comparisons that a node of the parser represents. */
export function relationTree(node: Comparison, mask: Mask): Relation {
  const { first, links } = flatten(node, mask);
  const [{ operator, at, right }, ...rest] = links;
  let tree: Relation = { operator, left: first, right, at };
  for (const link of rest) tree = { operator: link.operator, left: tree, right: link.right, at: link.at };
  return tree;
}

function isRelation(node: ASTNode): node is Comparison {
  return ['==', '!=', '<', '<=', '>', '>=', 'in'].includes(node.op);
}

function flatten(node: Comparison, mask: Mask): { first: ASTNode; links: [Link, ...Link[]] } {
  const [left, right] = node.args;
  const after = isRelation(right) && !isEnclosed(right, mask) ? flatten(right, mask) : { first: right, links: [] };
  const link: Link = { operator: node.op, at: operatorAt(node.op, left, right, mask), right: after.first };
  if (!isRelation(left) || isEnclosed(left, mask)) return { first: left, links: [link, ...after.links] };
  const before = flatten(left, mask);
  return { first: before.first, links: [...before.links, link, ...after.links] };
}

/** Whether parentheses enclose a whole node. A parenthesis at the start of the node itself does not count. */
export function isEnclosed(node: ASTNode, { text, closing }: Mask): boolean {
  for (let open = lastVisible(text, node.start); text[open] === '('; open = lastVisible(text, open)) {
    const end = closing.get(open) ?? -1;
    if (end >= node.end) return /^[\s)]*$/.test(text.slice(node.end, end));
  }
  return false;
}

/** The offset of a binary operator between its operands. */
export function operatorAt(operator: string, left: ASTNode, right: ASTNode, { text }: Mask): number {
  const at = text.indexOf(operator, left.end);
  return at < 0 ? right.start : at;
}
