import { readApiVersion } from '../../apiversion.js';
import { builtinSchema } from '@multicluster-engine/values/schema/builtin';
import { DYN, type CelType, compile, type Declarations, CompileError } from '@multicluster-engine/cel';
import { declareType, fieldTypes, type DeclaredType } from '@multicluster-engine/cel/rules/declare';
import { listAt, optionalStructAt, textAt, textsAt } from '@multicluster-engine/values/fields';
import type { JsonObject } from '@multicluster-engine/values/json';
import type { Registry, Resource } from '../../resource.js';
import { index } from '@multicluster-engine/values/schema/field';
import type { Schema } from '@multicluster-engine/values/schema/schema';
import { declarePolicy, variableType } from './declarations.js';

/** A type error of a policy expression for the types of the matched objects. */
export interface ExpressionWarning {
  readonly fieldRef: string;
  readonly warning: string;
}

/** Maximum number of types that are checked per rule. */
const MAX_TYPES = 10;
const META = 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta';

/**
 * Type-checks the validations of a policy against each type that its constraints name, without wildcards and
 * subresources. Texts are those of kube-controller-manager's status controller.
 */
export function expressionWarnings(spec: JsonObject, registry: Registry): readonly ExpressionWarning[] {
  const params = paramsOf(spec, registry);
  const typings = typesOf(spec, registry).map((resource): [string, Declarations] => [
    named(resource),
    declarationsFor(spec, resource, params),
  ]);
  const warnings: ExpressionWarning[] = [];
  for (const [at, validation] of listAt(spec, 'validations').entries()) {
    for (const field of ['expression', 'messageExpression']) {
      const source = textAt(validation, field);
      if (source === '' && field === 'messageExpression') continue;
      const problems = typings.flatMap(([kind, declarations]) =>
        problemOf(source, declarations).map((problem) => `${kind}: ${problem}\n`),
      );
      if (problems.length > 0)
        warnings.push({ fieldRef: `${index('spec.validations', at)}.${field}`, warning: problems.join('\n') });
    }
  }
  return warnings;
}

function problemOf(source: string, declarations: Declarations): string[] {
  try {
    compile(source, declarations);
    return [];
  } catch (error) {
    if (error instanceof CompileError) return [error.message];
    throw error;
  }
}

function named({ group, version, kind }: Resource): string {
  return `${group}/${version}, Kind=${kind}`;
}

/** The kinds that the rules name, without duplicates, ordered by group, version and kind. */
function typesOf(spec: JsonObject, registry: Registry): readonly Resource[] {
  const found = new Map<string, Resource>();
  for (const rule of listAt(optionalStructAt(spec, 'matchConstraints') ?? {}, 'resourceRules')) {
    const [groups, versions] = [textsAt(rule, 'apiGroups'), textsAt(rule, 'apiVersions')];
    if ([...groups, ...versions].some((name) => name.includes('*'))) continue;
    const plurals = textsAt(rule, 'resources').filter((name) => !/[*/]/.test(name));
    const resources = sorted(groups).flatMap((group) =>
      sorted(versions).flatMap((version) =>
        sorted(plurals).flatMap((plural) => registry.find(group, version, plural) ?? []),
      ),
    );
    for (const resource of resources.slice(0, MAX_TYPES))
      found.set([resource.group, resource.version, resource.kind].join('\n'), resource);
    if (resources.length >= MAX_TYPES) break;
  }
  return sorted([...found.keys()]).flatMap((key) => found.get(key) ?? []);
}

function sorted(names: readonly string[]): readonly string[] {
  return [...names].sort();
}

/** The type of the params: undefined for a policy without params, DYN where the kind is unknown. */
function paramsOf(spec: JsonObject, registry: Registry): DeclaredType | 'dyn' | undefined {
  const kind = optionalStructAt(spec, 'paramKind');
  if (kind === undefined) return undefined;
  const { group, version } = readApiVersion(textAt(kind, 'apiVersion'));
  const resource = registry.findKind(group, version, textAt(kind, 'kind'));
  return resource === undefined ? 'dyn' : (declared(resource) ?? 'dyn');
}

function declarationsFor(spec: JsonObject, resource: Resource, params: DeclaredType | 'dyn' | undefined): Declarations {
  const types = new Map<string, CelType>();
  const base = declarePolicy({ params: params !== undefined, authorizer: true, variables: types });
  const object = declared(resource);
  const variables = new Map(base.variables);
  const known = [object, params].filter((type): type is DeclaredType => type !== undefined && type !== 'dyn');
  const fields = new Map(known.flatMap((type) => [...fieldTypes(type)]));
  if (object !== undefined) for (const name of ['object', 'oldObject']) variables.set(name, object.type);
  if (params !== undefined && params !== 'dyn') variables.set('params', params.type);
  const declarations: Declarations = { ...base, variables, fields: (name) => fields.get(name) ?? base.fields(name) };
  for (const variable of listAt(spec, 'variables'))
    types.set(textAt(variable, 'name'), typeOf(textAt(variable, 'expression'), declarations));
  return declarations;
}

function typeOf(source: string, declarations: Declarations): CelType {
  try {
    return variableType(compile(source, declarations).type);
  } catch (error) {
    if (error instanceof CompileError) return DYN;
    throw error;
  }
}

function declared({ schema, kind, custom }: Resource): DeclaredType | undefined {
  const whole: Schema = custom
    ? {
        ...schema,
        type: 'object',
        properties: { ...schema.properties, apiVersion: TEXT, kind: TEXT, metadata: builtinSchema(META) },
      }
    : schema;
  return declareType(published(whole, [], custom), kind);
}

const TEXT: Schema = { type: 'string' };
const ANY: Schema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };

/**
 * The published schema without its cycles: a schema that contains itself becomes an object without known fields.
 * Quantities of built-in kinds are published without a type, so expressions do not see them.
 */
function published(schema: Schema, above: readonly Schema[], custom: boolean): Schema {
  if (above.includes(schema)) return ANY;
  if (!custom && schema.format === 'quantity') return {};
  const path = [...above, schema];
  const { properties, items, additionalProperties } = schema;
  const inner = (part: Schema): Schema => published(part, path, custom);
  return {
    ...schema,
    ...(properties === undefined
      ? {}
      : { properties: Object.fromEntries(Object.entries(properties).map(([name, part]) => [name, inner(part)])) }),
    ...(items === undefined ? {} : { items: inner(items) }),
    ...(typeof additionalProperties === 'object' ? { additionalProperties: inner(additionalProperties) } : {}),
  };
}
