import type { Schema, ValidationRule } from '@multicluster-engine/values/schema/schema';
import {
  MAX_ESTIMATE,
  estimateCost,
  type Path,
  type Sizes,
  compile,
  type Checked,
  type Declarations,
  CompileError,
  optionalOf,
  type CelType,
  baseFunctions,
  programProblem,
  program,
  type Program,
} from '../index.js';
import { declareType, fieldTypes, type DeclaredType } from './declare.js';
import { rulePath } from './fieldpath.js';

/** A compiled rule. */
export interface CompiledRule {
  readonly rule: ValidationRule;
  /** Undefined where the rule is empty or invalid. */
  readonly program: Program | undefined;
  /** The compile error. */
  readonly problem: string | undefined;
  readonly usesOldSelf: boolean;
  /** The maximum cost; 0 where the rule cannot be compiled. */
  readonly cost: number;
  readonly message: Program | undefined;
  readonly messageProblem: string | undefined;
  readonly messageCost: number;
  /** The fieldPath in the form that is appended to a path; '' for none. */
  readonly fieldPath: string;
}

/** The name of the type of `self`. The API server generates another one each time. */
const SELF_TYPE = 'selfType1';

/**
 * Compiles the rules of one schema node, without its subschemas.
 * @param root whether the node is a whole object with metadata
 */
export function compileNode(
  schema: Schema,
  rules: readonly ValidationRule[],
  root: boolean,
): { readonly rules: readonly CompiledRule[]; readonly minSize: number } {
  const declared = declareType(schema, SELF_TYPE, root);
  if (declared === undefined)
    return {
      rules: rules.map((rule) => failed(rule, 'failed to convert to declType for CEL validation rules')),
      minSize: 0,
    };
  const fields = fieldTypes(declared);
  const sizes = sizesOf(declared);
  const compiled = rules.map((rule) => {
    const old = rule.optionalOldSelf === true ? optionalOf(declared.type) : declared.type;
    const variables = new Map<string, CelType>([
      ['self', declared.type],
      ['oldSelf', old],
    ]);
    return compileRule(
      rule,
      { functions: baseFunctions(), variables, fields: (name) => fields.get(name) },
      sizes,
      schema,
    );
  });
  return { rules: compiled, minSize: declared.minSize };
}

function failed(rule: ValidationRule, problem: string | undefined): CompiledRule {
  return {
    rule,
    program: undefined,
    problem,
    usesOldSelf: false,
    cost: 0,
    message: undefined,
    messageProblem: undefined,
    messageCost: 0,
    fieldPath: '',
  };
}

function compileRule(rule: ValidationRule, declarations: Declarations, sizes: Sizes, schema: Schema): CompiledRule {
  if (rule.rule.trim() === '') return failed(rule, undefined);
  const compiled = compileExpression(rule.rule, declarations, {
    prefix: '',
    resultKind: 'bool',
    wrongType: 'cel expression must evaluate to a bool',
  });
  if (compiled.kind === 'problem') return failed(rule, compiled.problem);
  const { checked } = compiled;
  const usesOldSelf = checked.variables.has('oldSelf');
  const result = {
    ...failed(rule, undefined),
    program: program(checked, declarations.functions),
    usesOldSelf,
    cost: estimateCost(checked, sizes).max,
  };
  const { messageExpression = '' } = rule;
  const fieldPath =
    rule.fieldPath === undefined || rule.fieldPath === '' ? '' : (rulePath(rule.fieldPath, schema) ?? '');
  if (messageExpression === '') return { ...result, fieldPath };
  const message = compileExpression(messageExpression, declarations, {
    prefix: 'messageExpression ',
    resultKind: 'string',
    wrongType: 'messageExpression must evaluate to a string',
  });
  if (message.kind === 'problem') return { ...result, messageProblem: message.problem };
  return {
    ...result,
    fieldPath,
    message: program(message.checked, declarations.functions),
    messageCost: estimateCost(message.checked, sizes).max,
  };
}

/** The result type that an expression must have, and how messages refer to it. */
interface ExpectedResult {
  readonly prefix: string;
  readonly resultKind: 'bool' | 'string';
  readonly wrongType: string;
}

type Compilation =
  | { readonly kind: 'compiled'; readonly checked: Checked }
  | { readonly kind: 'problem'; readonly problem: string };

function compileExpression(
  source: string,
  declarations: Declarations,
  { prefix, resultKind, wrongType }: ExpectedResult,
): Compilation {
  try {
    const checked = compile(source, declarations);
    if (checked.type.kind !== resultKind) return { kind: 'problem', problem: wrongType };
    const problem = programProblem(checked, declarations.functions);
    if (problem === undefined) return { kind: 'compiled', checked };
    const subject = prefix === '' ? 'program' : 'messageExpression';
    return { kind: 'problem', problem: `${subject} instantiation failed: ${problem}` };
  } catch (error) {
    if (error instanceof CompileError)
      return { kind: 'problem', problem: `${prefix}compilation failed: ${error.message}` };
    throw error;
  }
}

/** Sizes of values by path. The first element is `self` or `oldSelf`, which have the same type. */
function sizesOf(declared: DeclaredType): Sizes {
  return (path: Path) => {
    let node: DeclaredType | undefined = declared;
    for (const step of path.slice(1)) {
      if (step === '@items' || step === '@values') node = node.element;
      else node = step === '@keys' ? node.key : node.fields?.get(step);
      if (node === undefined) return undefined;
    }
    return { min: 0, max: Math.min(MAX_ESTIMATE, node.maxElements) };
  };
}
