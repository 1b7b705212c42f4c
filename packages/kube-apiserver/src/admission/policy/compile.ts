import { listAt, textAt } from '@multicluster-engine/values/fields';
import { own, type JsonObject } from '@multicluster-engine/values/json';
import {
  DYN,
  type CelType,
  compile,
  type Declarations,
  CompileError,
  programProblem,
  program,
  type Program,
} from '@multicluster-engine/cel';
import { declarePolicy, variableType } from './declarations.js';

/** Why an expression does not compile. The message of an `internal` problem does not show the expression. */
export interface CompileProblem {
  readonly text: string;
  readonly internal: boolean;
}

export type Compiled = { readonly program: Program; readonly type: CelType } | { readonly problem: CompileProblem };

/** The allowed result types; undefined for any. */
export type Wanted = readonly ('bool' | 'string' | 'null_type')[] | undefined;

/** Compiles an expression of a policy. */
export function compileExpression(source: string, declarations: Declarations, wanted: Wanted): Compiled {
  try {
    const checked = compile(source, declarations);
    if (wanted !== undefined && !wanted.some((name) => name === checked.type.name))
      return { problem: { text: wrongType(checked.type, wanted), internal: false } };
    const problem = programProblem(checked, declarations.functions);
    if (problem !== undefined) return { problem: { text: `program instantiation failed: ${problem}`, internal: true } };
    return { program: program(checked, declarations.functions), type: checked.type };
  } catch (error) {
    if (error instanceof CompileError)
      return { problem: { text: `compilation failed: ${error.message}`, internal: false } };
    throw error;
  }
}

function wrongType(type: CelType, wanted: readonly string[]): string {
  const names = wanted.length === 1 ? wanted[0] : `one of [${wanted.join(' ')}]`;
  return `must evaluate to ${names} but got ${declaredText(type)}`;
}

/** A type by its declared names: `list(google.protobuf.Timestamp)`. */
function declaredText({ name, parameters }: CelType): string {
  return parameters.length === 0 ? name : `${name}(${parameters.map(declaredText).join(', ')})`;
}

export interface CompiledValidation {
  readonly expression: string;
  readonly compiled: Compiled;
  readonly message: string;
  readonly messageExpression: Compiled | undefined;
  readonly reason: string | undefined;
}

/** A policy with compiled expressions. */
export interface CompiledPolicy {
  readonly fails: boolean;
  readonly hasParams: boolean;
  readonly variables: ReadonlyMap<string, Compiled>;
  readonly matchConditions: readonly {
    readonly name: string;
    readonly expression: string;
    readonly compiled: Compiled;
  }[];
  readonly validations: readonly CompiledValidation[];
  readonly auditAnnotations: readonly {
    readonly key: string;
    readonly expression: string;
    readonly compiled: Compiled;
  }[];
}

/** Compiles all expressions of a stored policy. */
export function compilePolicy(spec: JsonObject): CompiledPolicy {
  const params = own(spec, 'paramKind') !== undefined;
  const variables = new Map<string, Compiled>();
  const types = new Map<string, CelType>();
  const declarations = declarePolicy({ params, authorizer: true, variables: types });
  const messages = declarePolicy({ params, authorizer: false, variables: types });
  for (const variable of listAt(spec, 'variables')) {
    const compiled = compileExpression(textAt(variable, 'expression'), declarations, undefined);
    variables.set(textAt(variable, 'name'), compiled);
    types.set(textAt(variable, 'name'), 'type' in compiled ? variableType(compiled.type) : DYN);
  }
  return {
    fails: textAt(spec, 'failurePolicy') !== 'Ignore',
    hasParams: params,
    variables,
    matchConditions: listAt(spec, 'matchConditions').map((condition) => {
      const expression = textAt(condition, 'expression');
      return {
        name: textAt(condition, 'name'),
        expression,
        compiled: compileExpression(expression, declarations, ['bool']),
      };
    }),
    validations: listAt(spec, 'validations').map((validation) => compileValidation(validation, declarations, messages)),
    auditAnnotations: listAt(spec, 'auditAnnotations').map((annotation) => {
      const expression = textAt(annotation, 'valueExpression');
      return {
        key: textAt(annotation, 'key'),
        expression,
        compiled: compileExpression(expression, declarations, ['string', 'null_type']),
      };
    }),
  };
}

function compileValidation(
  validation: JsonObject,
  declarations: Declarations,
  messages: Declarations,
): CompiledValidation {
  const expression = textAt(validation, 'expression');
  const message = textAt(validation, 'messageExpression');
  const reason = textAt(validation, 'reason');
  return {
    expression,
    compiled: compileExpression(expression, declarations, ['bool']),
    message: textAt(validation, 'message'),
    messageExpression: message === '' ? undefined : compileExpression(message, messages, ['string']),
    reason: reason === '' ? undefined : reason,
  };
}
