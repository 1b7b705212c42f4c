import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from '@babel/parser';

/** One import of a source file. */
export interface Import {
  /** Path of the importing file from the package root, with slashes. */
  readonly file: string;
  readonly line: number;
  /** The text between the quotes. */
  readonly specifier: string;
  readonly kind: 'static' | 'dynamic' | 'type';
}

export interface FunctionShape {
  readonly file: string;
  readonly line: number;
  /** For a function that is passed to another one: the name of that one. */
  readonly name: string;
  readonly lines: number;
  readonly parameters: number;
  /** Nested blocks: if, for, while, do, switch, try. */
  readonly depth: number;
}

export interface Source {
  readonly file: string;
  readonly lines: number;
  readonly imports: readonly Import[];
  readonly functions: readonly FunctionShape[];
  /** The names that the file declares outside of functions and classes. */
  readonly declared: readonly string[];
  /** The interfaces that its classes implement. */
  readonly implemented: readonly string[];
  /** The lines of values that outlive a call and can change: `let`, collections without a readonly type, static fields. */
  readonly state: readonly number[];
}

interface Node {
  readonly type: string;
  readonly loc: { readonly start: { readonly line: number }; readonly end: { readonly line: number } };
  readonly [field: string]: unknown;
}

const NESTING = new Set([
  'IfStatement',
  'ForStatement',
  'ForInStatement',
  'ForOfStatement',
  'WhileStatement',
  'DoWhileStatement',
  'SwitchStatement',
  'TryStatement',
]);
const FUNCTIONS = new Set([
  'FunctionDeclaration',
  'FunctionExpression',
  'ArrowFunctionExpression',
  'ClassMethod',
  'ClassPrivateMethod',
  'ObjectMethod',
]);

/** Every TypeScript file under `folder` of `root`, sorted. */
export function readSources(root: string, folder: string): Source[] {
  return sourceFiles(root, folder).map((file) => readSource(file, readFileSync(path.join(root, file), 'utf8')));
}

/** {@link readSources} of several folders, in a process of its own: within Jest, parsing takes ten times as long. */
export function readSourcesApart(folders: readonly string[]): Source[] {
  const program = fileURLToPath(new URL('printsources.js', import.meta.url));
  const text = execFileSync(process.execPath, [program, ...folders], { encoding: 'utf8', maxBuffer: 2 ** 28 });
  return JSON.parse(text);
}

/** The paths of the TypeScript files under `folder`, from `root`, sorted. */
export function sourceFiles(root: string, folder: string): string[] {
  const names = readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' });
  return names
    .filter((name) => /\.tsx?$/.test(name))
    .map((name) => path.posix.join(folder, ...name.split(path.sep)))
    .sort();
}

/** How many lines a text has, without empty ones at its end. */
function lineCount(text: string): number {
  return text.trimEnd().split('\n').length;
}

/** What a file imports and how its functions are shaped. */
export function readSource(file: string, text: string): Source {
  const tree = treeOf(file, text);
  const imports: Import[] = [];
  const functions: FunctionShape[] = [];
  const implemented: string[] = [];
  const statements = statementsOf(tree);
  const state = statements.filter(isState).map((node) => node.loc.start.line);
  walk(tree, undefined, (node, parent) => {
    const found = importOf(node);
    if (found !== undefined) imports.push({ file, line: node.loc.start.line, ...found });
    if (FUNCTIONS.has(node.type)) functions.push(shapeOf(file, node, parent));
    implemented.push(...list(node['implements']).flatMap((one) => nameOf(one['expression']) ?? []));
    if (node.type.startsWith('Class') && node['static'] === true && node.type.endsWith('Property'))
      state.push(node.loc.start.line);
  });
  const declared = statements.flatMap(namesIn);
  return { file, lines: lineCount(text), imports, functions, declared, implemented, state };
}

const COLLECTIONS = new Set(['Map', 'Set', 'WeakMap', 'WeakSet']);

/** The statements of a module, with what it exports in place of the exports. */
function statementsOf(tree: unknown): Node[] {
  const program = isNode(tree) ? tree['program'] : undefined;
  return list(isNode(program) ? program['body'] : undefined).map((node) => {
    return isNode(node['declaration']) ? node['declaration'] : node;
  });
}

function namesIn(statement: Node): string[] {
  const own = [statement, ...list(statement['declarations'])];
  return own.flatMap((one) => nameOf(one['id']) ?? []);
}

function isState(statement: Node): boolean {
  if (statement.type !== 'VariableDeclaration') return false;
  return statement['kind'] !== 'const' || list(statement['declarations']).some(isCollection);
}

/** Whether it is a new collection that nothing keeps from being changed. A weak one is of no use but to be changed. */
function isCollection({ id, init }: Node): boolean {
  if (!isNode(init) || init.type !== 'NewExpression' || !isNode(id)) return false;
  const made = nameOf(init['callee']) ?? '';
  if (!COLLECTIONS.has(made)) return false;
  const annotation = isNode(id['typeAnnotation']) ? id['typeAnnotation']['typeAnnotation'] : undefined;
  const type = isNode(annotation) ? (nameOf(annotation['typeName']) ?? annotation.type) : made;
  return made.startsWith('Weak') || COLLECTIONS.has(type);
}

function treeOf(file: string, text: string): unknown {
  try {
    return parse(text, {
      sourceType: 'module',
      plugins: file.endsWith('.tsx') ? ['typescript', 'jsx'] : ['typescript'],
    });
  } catch (error) {
    throw new Error(`${file} cannot be parsed`, { cause: error });
  }
}

function importOf(node: Node): { specifier: string; kind: Import['kind'] } | undefined {
  const source = node['source'];
  switch (node.type) {
    case 'ImportDeclaration':
      return { specifier: valueOf(source), kind: typeOnly(node, 'importKind') ? 'type' : 'static' };
    case 'ExportNamedDeclaration':
    case 'ExportAllDeclaration':
      return isNode(source)
        ? { specifier: valueOf(source), kind: typeOnly(node, 'exportKind') ? 'type' : 'static' }
        : undefined;
    case 'ImportExpression':
      return { specifier: valueOf(source), kind: 'dynamic' };
    case 'CallExpression':
      return isNode(node['callee']) && node['callee'].type === 'Import'
        ? { specifier: valueOf(list(node['arguments'])[0]), kind: 'dynamic' }
        : undefined;
    case 'TSImportType':
      return { specifier: valueOf(node['argument']), kind: 'type' };
    default:
      return undefined;
  }
}

/** `import type …`, or every name in the braces marked `type`. */
function typeOnly(node: Node, field: string): boolean {
  if (node[field] === 'type') return true;
  const specifiers = list(node['specifiers']);
  return specifiers.length > 0 && specifiers.every((one) => one[field] === 'type');
}

function shapeOf(file: string, node: Node, parent: Node | undefined): FunctionShape {
  const { start, end } = node.loc;
  const key = nameOf(node['id']) ?? nameOf(node['key']) ?? nameOf(parent?.['id']) ?? nameOf(parent?.['key']);
  return {
    file,
    line: start.line,
    name: key ?? calledName(parent?.['callee']) ?? '(anonymous)',
    lines: end.line - start.line + 1,
    parameters: list(node['params']).length,
    depth: depthOf(node['body']),
  };
}

/** The first name of what is called: `describe` of `describe.each([…])(…)`. */
function calledName(callee: unknown): string | undefined {
  if (!isNode(callee)) return undefined;
  return nameOf(callee) ?? calledName(callee['callee'] ?? callee['object'] ?? callee['tag']);
}

/** Deepest nesting below `value`, functions inside it left out: they are counted by themselves. An `else if` is no deeper than its `if`. */
function depthOf(value: unknown): number {
  if (Array.isArray(value)) return Math.max(0, ...value.map(depthOf));
  if (!isNode(value) || FUNCTIONS.has(value.type)) return 0;
  let inner = 0;
  for (const [field, child] of Object.entries(value)) {
    const chained = field === 'alternate' && isNode(child) && child.type === 'IfStatement';
    inner = Math.max(inner, depthOf(child) - (chained ? 1 : 0));
  }
  return inner + (NESTING.has(value.type) ? 1 : 0);
}

function walk(value: unknown, parent: Node | undefined, visit: (node: Node, parent: Node | undefined) => void): void {
  if (Array.isArray(value)) {
    for (const one of value) walk(one, parent, visit);
    return;
  }
  if (!isNode(value)) return;
  visit(value, parent);
  for (const [field, child] of Object.entries(value)) {
    if (!field.endsWith('Comments')) walk(child, value, visit);
  }
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && 'loc' in value;
}

function list(value: unknown): Node[] {
  return Array.isArray(value) ? value.filter(isNode) : [];
}

function nameOf(value: unknown): string | undefined {
  if (!isNode(value)) return undefined;
  const name = value['name'] ?? nameOf(value['id']);
  return typeof name === 'string' ? name : undefined;
}

function valueOf(value: unknown): string {
  const text = isNode(value) ? value['value'] : undefined;
  if (typeof text !== 'string') throw new Error('an import whose source is no plain string cannot be checked');
  return text;
}
