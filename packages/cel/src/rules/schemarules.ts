import {
  child,
  forbiddenField,
  internalField,
  invalidRaw,
  invalidValue,
  key,
} from '@multicluster-engine/values/schema/field';
import { goJson } from '@multicluster-engine/values/text';
import type { Schema, ValidationRule } from '@multicluster-engine/values/schema/schema';
import type { FieldError } from '@multicluster-engine/values/schema/fielderror';
import { MAX_ESTIMATE } from '../index.js';
import { compileNode, type CompiledRule } from './compile.js';
import { declareType, MAX_REQUEST } from './declare.js';

/** Cost limits for one rule and for all rules of a schema. */
const RULE_LIMIT = 10_000_000;
const SCHEMA_LIMIT = 100_000_000;

/** The number of rules that are named when the total cost is too high. */
const MAX_NAMED = 4;

const UNTYPED =
  'internal error: failed to construct type information for x-kubernetes-validations rules: unable to convert structural schema to CEL declarations';

export interface CompileOptions {
  /** Errors of the schema itself: rules at or above an invalid node are not compiled. */
  readonly schemaErrors?: readonly FieldError[];
  /** Set for an update that does not change the schema: the cost limit of single rules is not enforced. */
  readonly ignoreCosts?: boolean;
}

/** A schema node with its context. */
interface Node {
  readonly path: string;
  readonly schema: Schema;
  readonly root: boolean;
  /** The maximum number of occurrences, from maxItems and maxProperties of its ancestors; undefined for no limit. */
  readonly cardinality: number | undefined;
  /** The nearest ancestor whose values cannot be correlated with old values. */
  readonly uncorrelatable: string | undefined;
  /** Whether an ancestor has rules: the type of the node is a part of theirs. */
  readonly inScope: boolean;
  /** Whether the node, or an ancestor in the scope of rules, has no CEL type. */
  readonly untyped: boolean;
}

/**
 * Compiles all rules of a schema and collects type, syntax and cost errors with the messages and in the order of the
 * API server.
 */
export class SchemaRuleCompiler {
  readonly errors: FieldError[] = [];
  private total = 0;
  private readonly expensive: { readonly field: string; readonly cost: number }[] = [];
  private readonly options: CompileOptions;

  constructor(options: CompileOptions) {
    this.options = options;
  }

  run(schema: Schema, path: string): readonly FieldError[] {
    this.visit({ path, schema, root: true, cardinality: 1, uncorrelatable: undefined, inScope: false, untyped: false });
    if (this.total > SCHEMA_LIMIT) {
      for (const { field } of this.expensive)
        this.errors.push(
          forbiddenField(
            field,
            'contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema',
          ),
        );
      this.errors.push(
        forbiddenField(
          path,
          costText(
            'x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema',
            this.total,
            SCHEMA_LIMIT,
          ),
        ),
      );
    }
    return this.errors;
  }

  private visit(node: Node): void {
    const rules = node.schema['x-kubernetes-validations'] ?? [];
    const whole = node.root || node.schema['x-kubernetes-embedded-resource'] === true;
    const inScope = node.inScope || rules.length > 0;
    const untyped = inScope && (node.untyped || declareType(node.schema, '', whole) === undefined);
    for (const inner of childNodes({ ...node, inScope, untyped })) this.visit(inner);
    if (rules.length === 0 || this.isBroken(node.path)) return;
    if (untyped) {
      this.errors.push(internalField(child(node.path, 'x-kubernetes-validations'), UNTYPED));
      return;
    }
    const compiled = compileNode(node.schema, rules, whole);
    for (const [index, rule] of compiled.rules.entries())
      this.rule(rule, `${node.path}.x-kubernetes-validations[${index}]`, node, compiled.minSize);
  }

  private isBroken(path: string): boolean {
    return (this.options.schemaErrors ?? []).some(({ field }) => field === path || field.startsWith(`${path}.`));
  }

  private rule(rule: CompiledRule, field: string, node: Node, minSize: number): void {
    const times = node.cardinality ?? Math.floor(MAX_REQUEST / (minSize + 1));
    const cost = Math.min(MAX_ESTIMATE, rule.cost * times);
    this.checkCost(cost, `${field}.rule`, 'estimated rule cost');
    this.observe(cost, `${field}.rule`);
    if (rule.problem !== undefined) this.errors.push(invalidRaw(`${field}.rule`, ruleJson(rule.rule), rule.problem));
    if (rule.messageProblem !== undefined)
      this.errors.push(invalidRaw(`${field}.messageExpression`, ruleJson(rule.rule), rule.messageProblem));
    else if (rule.message !== undefined) {
      this.checkCost(rule.messageCost, `${field}.messageExpression`, 'estimated messageExpression cost');
      this.observe(rule.messageCost, `${field}.messageExpression`);
    }
    this.checkOldSelf(rule, field, node);
  }

  private checkOldSelf({ rule, usesOldSelf }: CompiledRule, field: string, { uncorrelatable }: Node): void {
    if (usesOldSelf && uncorrelatable !== undefined) {
      this.errors.push(
        invalidValue(
          `${field}.rule`,
          rule.rule,
          `oldSelf cannot be used on the uncorrelatable portion of the schema within ${uncorrelatable}`,
        ),
      );
    } else if (!usesOldSelf && rule.optionalOldSelf !== undefined) {
      this.errors.push(
        invalidValue(`${field}.optionalOldSelf`, rule.optionalOldSelf, 'may not be set if oldSelf is not used in rule'),
      );
    }
  }

  private checkCost(cost: number, field: string, name: string): void {
    if (cost > RULE_LIMIT && this.options.ignoreCosts !== true)
      this.errors.push(forbiddenField(field, costText(name, cost, RULE_LIMIT)));
  }

  private observe(cost: number, field: string): void {
    this.total = Math.min(MAX_ESTIMATE, this.total + cost);
    if (cost < SCHEMA_LIMIT / 100) return;
    this.expensive.push({ field, cost });
    this.expensive.sort((a, b) => b.cost - a.cost);
    this.expensive.length = Math.min(this.expensive.length, MAX_NAMED);
  }
}

function childNodes({ path, schema, cardinality, uncorrelatable, inScope, untyped }: Node): Node[] {
  const { items, properties = {}, additionalProperties } = schema;
  const inner = { root: false, cardinality: multiply(cardinality, maxElements(schema)), inScope, untyped };
  const nodes: Node[] = [];
  if (typeof additionalProperties === 'object')
    nodes.push({ ...inner, path: child(path, 'additionalProperties'), schema: additionalProperties, uncorrelatable });
  for (const [name, property] of Object.entries(properties))
    nodes.push({ ...inner, path: key(child(path, 'properties'), name), schema: property, uncorrelatable });
  if (items === undefined) return nodes;
  const lost = schema['x-kubernetes-list-type'] === 'map' ? uncorrelatable : (uncorrelatable ?? path);
  return [...nodes, { ...inner, path: child(path, 'items'), schema: items, uncorrelatable: lost }];
}

function multiply(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined || b === undefined ? undefined : Math.min(MAX_ESTIMATE, a * b);
}

/** The maximum number of children of a value; undefined for no limit. */
function maxElements({ type, additionalProperties, maxProperties, maxItems }: Schema): number | undefined {
  if (type === 'array') return maxItems === undefined ? undefined : Math.max(0, maxItems);
  if (type !== 'object' || additionalProperties === undefined) return 1;
  return maxProperties === undefined ? undefined : Math.max(0, maxProperties);
}

function costText(name: string, cost: number, limit: number): string {
  const factor = cost / limit;
  const shown = factor > 100 ? 'more than 100x' : factor < 1.5 ? `${factor.toFixed(6)}x` : `${factor.toFixed(1)}x`;
  return `${name} exceeds budget by factor of ${shown} (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)`;
}

/** The rule as Go encodes the struct, fields in order of declaration. */
function ruleJson(rule: ValidationRule): string {
  const fields = {
    Rule: rule.rule,
    Message: rule.message ?? '',
    MessageExpression: rule.messageExpression ?? '',
    Reason: rule.reason ?? null,
    FieldPath: rule.fieldPath ?? '',
    OptionalOldSelf: rule.optionalOldSelf ?? null,
  };
  return `{${Object.entries(fields)
    .map(([name, value]) => `"${name}":${goJson(value)}`)
    .join(',')}}`;
}
