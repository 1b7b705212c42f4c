import type { Checker } from './checker.js';
import type { Overload } from '../language/declaration.js';
import { OPERATOR, qualifiedName, type Call, type Expr } from '../language/expression.js';
import { fieldType } from './field.js';
import { BOOL, DYN, ERROR, optionalOf, type CelType } from '../language/celtype.js';
import { substitute } from './unify.js';

type CheckNode = (expr: Expr) => CelType;

/** Checks a call: resolves its result type and the overloads that match. */
export function checkCall(checker: Checker, call: Call, check: CheckNode): CelType {
  if (call.name === OPERATOR.optionalSelect) return checkOptionalSelect(checker, call, check);
  const args = call.args.map(check);
  const { target } = call;
  const prefix = target === undefined ? undefined : qualifiedName(target);
  const namespaced = prefix === undefined ? undefined : checker.declarations.functions.get(`${prefix}.${call.name}`);
  if (prefix !== undefined && namespaced !== undefined)
    return choose(checker, call, { name: `${prefix}.${call.name}`, overloads: namespaced, types: args, member: false });
  const receiver = target === undefined ? [] : [check(target)];
  const overloads = checker.declarations.functions.get(call.name);
  if (overloads === undefined) {
    checker.report(call.at, `undeclared reference to '${call.name}' (in container '')`);
    return ERROR;
  }
  return choose(checker, call, {
    name: call.name,
    overloads,
    types: [...receiver, ...args],
    member: target !== undefined,
  });
}

/** `a.?b`: the field name is a literal, so the type of the field is known. */
function checkOptionalSelect(checker: Checker, call: Call, check: CheckNode): CelType {
  const [operand, field] = call.args;
  if (operand === undefined || field?.kind !== 'literal' || typeof field.value !== 'string') return ERROR;
  checker.overloads.set(call, ['select_optional_field']);
  return checker.resolve(optionalOf(fieldType(checker, check(operand), field.value, call.at)));
}

interface Choice {
  readonly name: string;
  readonly overloads: readonly Overload[];
  readonly types: readonly CelType[];
  readonly member: boolean;
}

function choose(checker: Checker, call: Call, choice: Choice): CelType {
  if (choice.name === OPERATOR.and || choice.name === OPERATOR.or) return logical(checker, call, choice);
  const found: string[] = [];
  let result: CelType | undefined;
  for (const overload of choice.overloads) {
    if (overload.member !== choice.member) continue;
    const instance = instantiate(checker, overload);
    if (!checker.assign(choice.types, instance.parameters)) continue;
    found.push(overload.id);
    const type = checker.resolve(instance.result);
    if (result === undefined) result = type;
    else if (result.kind !== 'dyn' && result.text !== type.text) result = DYN;
  }
  if (result === undefined) {
    checker.report(
      call.at,
      `found no matching overload for '${choice.name}' applied to '${signatureText(checker, choice)}'`,
    );
    return ERROR;
  }
  checker.overloads.set(call, found);
  return result;
}

/** `&&` and `||` report which operand is not a bool. */
function logical(checker: Checker, call: Call, { overloads, types }: Choice): CelType {
  let valid = true;
  types.forEach((type, index) => {
    if (checker.assign([type], [BOOL])) return;
    checker.report(call.args[index]?.at ?? call.at, `expected type 'bool' but found '${type.text}'`);
    valid = false;
  });
  checker.overloads.set(
    call,
    overloads.map(({ id }) => id),
  );
  return valid ? BOOL : ERROR;
}

/** The types of an overload with fresh type parameters: each call binds its own. */
function instantiate(checker: Checker, { parameters, result }: Overload): { parameters: CelType[]; result: CelType } {
  const names = new Set([...parameters, result].flatMap(parameterNames));
  if (names.size === 0) return { parameters: [...parameters], result };
  const fresh = new Map([...names].map((name) => [name, checker.freshParameter()]));
  return {
    parameters: parameters.map((type) => substitute(fresh, type, 'keep')),
    result: substitute(fresh, result, 'keep'),
  };
}

function parameterNames(type: CelType): string[] {
  return type.kind === 'param' ? [type.name] : type.parameters.flatMap(parameterNames);
}

function signatureText(checker: Checker, { types, member }: Choice): string {
  const texts = types.map((type) => checker.resolve(type, 'dyn').text);
  if (!member) return `(${texts.join(', ')})`;
  const [receiver = '', ...rest] = texts;
  return `${receiver}.(${rest.join(', ')})`;
}
