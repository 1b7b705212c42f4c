import { parse } from '@babel/parser';

/** One change of a file that a test should notice. */
export interface Mutant {
  /** Offsets in the text; what is between them is replaced. */
  readonly start: number;
  readonly end: number;
  readonly replacement: string;
  /** From 1, and from 0. */
  readonly line: number;
  readonly column: number;
  /** What was done to which code, in one line. */
  readonly change: string;
}

interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly loc: { readonly start: { readonly line: number; readonly column: number } };
  readonly [field: string]: unknown;
}

type Edit = Pick<Mutant, 'start' | 'end' | 'replacement'> & { readonly title: string };

const SWAPPED: Readonly<Record<string, string>> = { '&&': '||', '||': '&&' };
const COMPARED: Readonly<Record<string, string>> = {
  '===': '!==',
  '!==': '===',
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
};
const CONDITIONS: ReadonlySet<string> = new Set(['IfStatement', 'ConditionalExpression', 'WhileStatement']);
const BODIES: ReadonlySet<string> = new Set([
  'FunctionDeclaration',
  'FunctionExpression',
  'ArrowFunctionExpression',
  'ClassMethod',
  'ClassPrivateMethod',
  'ObjectMethod',
]);
/** Statements without an effect that tests can be asked to notice: lines of the log, and the base class's constructor. */
const UNOBSERVED = /^(?:await )?(?:super\(|(?:[\w.#?]*\b)?log(?:ger)?\??\.)/;

/** Every mutant of a JavaScript module, in the order of the text: conditions, logic, comparisons, statements, returns. */
export function mutantsOf(text: string): Mutant[] {
  const found: Mutant[] = [];
  walk(parse(text, { sourceType: 'module' }).program, (node) => {
    for (const { title, ...edit } of editsOf(node, text)) {
      const { line, column } = node.loc.start;
      found.push({ ...edit, line, column, change: `${title}: ${excerpt(text.slice(node.start, node.end))}` });
    }
  });
  return found.sort((a, b) => a.start - b.start || a.end - b.end);
}

/** The text with the change made. */
export function mutated(text: string, { start, end, replacement }: Mutant): string {
  return text.slice(0, start) + replacement + text.slice(end);
}

function editsOf(node: Node, text: string): Edit[] {
  const { test, body, expression } = node;
  if (CONDITIONS.has(node.type) && isNode(test)) return isComparison(test) ? [] : [negated(test, text)];
  if (node.type === 'LogicalExpression') return exchanged(node, text, SWAPPED);
  if (node.type === 'BinaryExpression') return exchanged(node, text, COMPARED);
  if (node.type === 'ExpressionStatement' && isNode(expression)) return dropped(node, expression, text);
  if (BODIES.has(node.type) && node['kind'] !== 'constructor' && isNode(body)) return returned(body);
  return [];
}

function negated(test: Node, text: string): Edit {
  const replacement = `!(${text.slice(test.start, test.end)})`;
  return { start: test.start, end: test.end, replacement, title: 'negate the condition' };
}

/** Exchanges the operator between two operands; brackets and comments around it stay. */
function exchanged(node: Node, text: string, table: Readonly<Record<string, string>>): Edit[] {
  const { operator, left, right } = node;
  if (typeof operator !== 'string' || !isNode(left) || !isNode(right)) return [];
  const replacement = table[operator];
  const start = text.indexOf(operator, left.end);
  if (replacement === undefined || start < 0 || start >= right.start) return [];
  return [{ start, end: start + operator.length, replacement, title: `${operator} becomes ${replacement}` }];
}

function dropped(node: Node, expression: Node, text: string): Edit[] {
  const statement = text.slice(node.start, node.end);
  const effects = [
    'CallExpression',
    'OptionalCallExpression',
    'AssignmentExpression',
    'AwaitExpression',
    'UpdateExpression',
  ];
  const inner = expression.type === 'UnaryExpression' ? expression['argument'] : expression;
  if (!isNode(inner) || !effects.includes(inner.type) || UNOBSERVED.test(statement)) return [];
  return [{ start: node.start, end: node.end, replacement: ';', title: 'drop the statement' }];
}

function returned(body: Node): Edit[] {
  if (body.type !== 'BlockStatement' || !Array.isArray(body['body']) || body['body'].length === 0) return [];
  return [{ start: body.start + 1, end: body.start + 1, replacement: ' return; ', title: 'return at once' }];
}

/** A comparison is exchanged by itself; to negate the condition would be the same change. */
function isComparison(test: Node): boolean {
  return test.type === 'BinaryExpression' && (test['operator'] === '===' || test['operator'] === '!==');
}

function walk(value: unknown, visit: (node: Node) => void): void {
  if (Array.isArray(value)) {
    for (const one of value) walk(one, visit);
    return;
  }
  if (!isNode(value)) return;
  visit(value);
  for (const [field, child] of Object.entries(value)) if (!field.endsWith('Comments')) walk(child, visit);
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && 'start' in value && 'loc' in value;
}

function excerpt(text: string): string {
  const line = text.replace(/\s+/g, ' ');
  return line.length > 80 ? `${line.slice(0, 79)}…` : line;
}
