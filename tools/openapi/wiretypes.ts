import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from '@babel/parser';
import type { Expression, Statement, TSType, TSTypeElement, TSTypeReference } from '@babel/types';
import { refTo, type JsonSchema } from './jsonschema.js';

/** JSON Schemas of TypeScript types: so much of the language as the types of the console's API use. */

interface Declarations {
  readonly types: Map<string, TSType | readonly TSTypeElement[]>;
  readonly descriptions: Map<string, string>;
  /** Lists of words by the name of their constant. */
  readonly words: Map<string, readonly string[]>;
}

/** The schema of each type that the files of a folder export, by its name. @throws Error for what has no schema. */
export function wireSchemas(folder: string): Readonly<Record<string, JsonSchema>> {
  const declared: Declarations = { types: new Map(), descriptions: new Map(), words: new Map() };
  for (const file of readdirSync(folder).filter((name) => name.endsWith('.ts'))) {
    const source = readFileSync(path.join(folder, file), 'utf8');
    for (const statement of parse(source, { sourceType: 'module', plugins: ['typescript'] }).program.body)
      declare(statement, declared);
  }
  const names = [...declared.types.keys()].sort();
  return Object.fromEntries(names.map((name) => [name, namedSchema(name, declared)]));
}

function declare(statement: Statement, { types, descriptions, words }: Declarations): void {
  if (statement.type !== 'ExportNamedDeclaration') return;
  const { declaration } = statement;
  if (declaration?.type === 'VariableDeclaration')
    for (const { id, init } of declaration.declarations)
      if (id.type === 'Identifier') words.set(id.name, wordsIn(init ?? undefined));
  if (declaration?.type === 'TSInterfaceDeclaration') types.set(declaration.id.name, declaration.body.body);
  else if (declaration?.type === 'TSTypeAliasDeclaration') types.set(declaration.id.name, declaration.typeAnnotation);
  else return;
  descriptions.set(declaration.id.name, descriptionOf(statement));
}

/** `['a', 'b'] as const`; nothing for every other constant. */
function wordsIn(value: Expression | undefined): readonly string[] {
  if (value?.type !== 'TSAsExpression' || value.expression.type !== 'ArrayExpression') return [];
  return value.expression.elements.flatMap((one) => (one?.type === 'StringLiteral' ? [one.value] : []));
}

function namedSchema(name: string, declared: Declarations): JsonSchema {
  const type = declared.types.get(name);
  if (type === undefined) throw new Error(`type ${name}: no file of the folder exports it`);
  const schema = 'type' in type ? typeSchema(type, declared) : objectSchema(type, declared);
  return described(schema, declared.descriptions.get(name));
}

function objectSchema(members: readonly TSTypeElement[], declared: Declarations): JsonSchema {
  const properties: Record<string, JsonSchema> = {};
  const required: string[] = [];
  for (const member of members) {
    if (member.type !== 'TSPropertySignature' || member.key.type !== 'Identifier')
      throw new Error(`${member.type}: has no schema`);
    const { name } = member.key;
    const type = member.typeAnnotation?.typeAnnotation;
    if (type === undefined) throw new Error(`${name}: has no type`);
    const schema = typeSchema(type, declared);
    properties[name] = described(schema, descriptionOf(member));
    if (member.optional !== true) required.push(name);
  }
  return { type: 'object', properties, ...(required.length > 0 && { required }) };
}

/** What a schema of one keyword says. */
const PLAIN: Readonly<Record<string, JsonSchema>> = {
  TSStringKeyword: { type: 'string' },
  TSNumberKeyword: { type: 'number' },
  TSBooleanKeyword: { type: 'boolean' },
  TSUnknownKeyword: {},
};

function typeSchema(type: TSType, declared: Declarations): JsonSchema {
  const plain = PLAIN[type.type];
  if (plain !== undefined) return plain;
  switch (type.type) {
    case 'TSParenthesizedType':
    case 'TSTypeOperator':
      return typeSchema(type.typeAnnotation, declared);
    case 'TSArrayType':
      return { type: 'array', items: typeSchema(type.elementType, declared) };
    case 'TSUnionType':
      return { anyOf: type.types.map((one) => typeSchema(one, declared)) };
    case 'TSTypeLiteral':
      return objectSchema(type.members, declared);
    case 'TSLiteralType':
      if (type.literal.type === 'StringLiteral') return { const: type.literal.value };
      break;
    case 'TSIndexedAccessType':
      return { enum: wordsOf(type.objectType, declared) };
    case 'TSTypeReference':
      return referenceSchema(type, declared);
    default:
      break;
  }
  throw new Error(`${type.type}: has no schema`);
}

/** `(typeof WORDS)[number]`. */
function wordsOf(type: TSType, declared: Declarations): readonly string[] {
  if (type.type === 'TSParenthesizedType') return wordsOf(type.typeAnnotation, declared);
  const name = type.type === 'TSTypeQuery' && type.exprName.type === 'Identifier' ? type.exprName.name : '';
  const words = declared.words.get(name) ?? [];
  if (words.length === 0) throw new Error(`${name === '' ? type.type : name}: is no list of words`);
  return words;
}

function referenceSchema({ typeName, typeParameters }: TSTypeReference, declared: Declarations): JsonSchema {
  const name = typeName.type === 'Identifier' ? typeName.name : '';
  const [first, second] = typeParameters?.params ?? [];
  if (name === 'Readonly' && first !== undefined) return typeSchema(first, declared);
  if (name === 'Record' && first !== undefined && second !== undefined)
    return recordSchema(first, typeSchema(second, declared), declared);
  if (declared.types.has(name)) return refTo(name);
  // A parameter of a generic type: each use says what it is.
  if (/^[A-Z]$/.test(name)) return {};
  throw new Error(`type ${name}: no file of the folder exports it`);
}

/** Keys are any strings, or each of the words of a named type. */
function recordSchema(key: TSType, value: JsonSchema, declared: Declarations): JsonSchema {
  if (key.type === 'TSStringKeyword') return { type: 'object', additionalProperties: value };
  const name = key.type === 'TSTypeReference' && key.typeName.type === 'Identifier' ? key.typeName.name : '';
  const { enum: words } = namedSchema(name, declared);
  if (!Array.isArray(words)) throw new Error(`Record of ${name}: is no list of words`);
  return { type: 'object', properties: Object.fromEntries(words.map((word) => [word, value])), required: words };
}

function described(schema: JsonSchema, description = ''): JsonSchema {
  return description === '' ? schema : { description, ...schema };
}

/** The comment that ends on the line before it, without its marks. */
function descriptionOf({ leadingComments, loc }: Statement | TSTypeElement): string {
  const comment = leadingComments?.at(-1);
  if (comment?.loc?.end.line !== (loc?.start.line ?? 0) - 1 || !comment.value.startsWith('*')) return '';
  return comment.value.replaceAll(/^[\s*]+|\s+$/g, '').replaceAll(/\s*\n\s*\*\s*/g, ' ');
}
