import { DYN, type CelType, type Declarations } from '@multicluster-engine/cel';
import { isReserved } from '@multicluster-engine/cel/rules/escape';
import { listAt, optionalStructAt, textAt } from '@multicluster-engine/values/fields';
import { own, type JsonObject } from '@multicluster-engine/values/json';
import type { KubeObject } from '@multicluster-engine/values/object';
import { child, duplicate, index, invalidValue, required, tooMany } from '@multicluster-engine/values/schema/field';
import { dns1035Label, dns1123Subdomain, qualifiedName } from '@multicluster-engine/values/formats';
import type { FieldError } from '@multicluster-engine/values/schema/fielderror';
import { compileExpression, type Wanted } from './compile.js';
import { declarePolicy, variableType } from './declarations.js';
import { checkMatchResources, oneOf } from './matchcheck.js';

const SPEC = 'spec';
const MAX_CONDITIONS = 64;
const MAX_ANNOTATIONS = 20;
const MAX_VALUE_EXPRESSION = 5 * 1024;

/**
 * Validates a ValidatingAdmissionPolicy without its metadata, and compiles its expressions. Order and texts are those
 * of kube-apiserver.
 * @param old the stored policy of an update: unchanged matchConditions are not checked
 */
export function validatePolicy(policy: KubeObject, old: KubeObject | undefined): readonly FieldError[] {
  const spec = optionalStructAt(policy, SPEC) ?? {};
  return new PolicyCheck(spec, policy.metadata.name ?? '').run(
    old === undefined ? undefined : optionalStructAt(old, SPEC),
  );
}

/** Validates one policy; the types of its variables are collected in their order. */
class PolicyCheck {
  private readonly spec: JsonObject;
  private readonly name: string;
  private readonly params: boolean;
  private readonly types = new Map<string, CelType>();

  constructor(spec: JsonObject, name: string) {
    this.spec = spec;
    this.name = name;
    this.params = optionalStructAt(spec, 'paramKind') !== undefined;
  }

  run(old: JsonObject | undefined): readonly FieldError[] {
    const { spec } = this;
    const kind = optionalStructAt(spec, 'paramKind');
    return [
      ...oneOf(spec, 'failurePolicy', ['Fail', 'Ignore'], SPEC),
      ...(kind === undefined ? [] : checkParamKind(kind, 'spec.paramKind')),
      ...this.constraints(),
      ...(old !== undefined && sameConditions(spec, old) ? [] : this.conditions('spec.matchConditions')),
      ...listAt(spec, 'variables').flatMap((variable, at) => this.variable(variable, index('spec.variables', at))),
      ...this.checks(),
    ];
  }

  private constraints(): FieldError[] {
    const constraints = optionalStructAt(this.spec, 'matchConstraints');
    if (constraints === undefined) return [required('spec.matchConstraints')];
    const errors = checkMatchResources(constraints, 'spec.matchConstraints');
    return listAt(constraints, 'resourceRules').length === 0
      ? [...errors, required('spec.matchConstraints.resourceRules')]
      : errors;
  }

  private declarations(authorizer: boolean, composed = listAt(this.spec, 'variables').length > 0): Declarations {
    return declarePolicy({ params: this.params, authorizer, variables: composed ? this.types : undefined });
  }

  private conditions(path: string): FieldError[] {
    const conditions = listAt(this.spec, 'matchConditions');
    const errors = conditions.length > MAX_CONDITIONS ? [tooMany(path, conditions.length, MAX_CONDITIONS)] : [];
    const names = conditions.map((condition) => textAt(condition, 'name'));
    for (const [at, condition] of conditions.entries()) {
      const expression = textAt(condition, 'expression').trim();
      const [name = '', field] = [names[at], index(path, at)];
      if (expression === '') errors.push(required(child(field, 'expression')));
      else
        errors.push(
          ...this.expression(expression, this.declarations(true, false), ['bool'], child(field, 'expression')),
        );
      errors.push(
        ...(name === ''
          ? [required(child(field, 'name'))]
          : qualifiedName(name).map((problem) => invalidValue(child(field, 'name'), name, problem))),
      );
      if (name !== '' && names.indexOf(name) < at) errors.push(duplicate(child(field, 'name'), name));
    }
    return errors;
  }

  private expression(source: string, declarations: Declarations, wanted: Wanted, path: string): FieldError[] {
    const compiled = compileExpression(source, declarations, wanted);
    if (!('problem' in compiled)) return [];
    const { text: problem, internal } = compiled.problem;
    return [
      internal
        ? { reason: 'InternalError', field: path, message: `Internal error: ${problem}` }
        : invalidValue(path, source, problem),
    ];
  }

  private variable(variable: JsonObject, path: string): FieldError[] {
    const [name, expression] = [textAt(variable, 'name'), textAt(variable, 'expression')];
    const errors = checkIdentifier(name, child(path, 'name'));
    if (expression.trim() === '')
      return [...errors, required(child(path, 'expression'), 'expression is not specified')];
    const declarations = this.declarations(true);
    errors.push(...this.expression(expression, declarations, undefined, child(path, 'expression')));
    const compiled = compileExpression(expression, declarations, undefined);
    this.types.set(name, 'type' in compiled ? variableType(compiled.type) : DYN);
    return errors;
  }

  private checks(): FieldError[] {
    const validations = listAt(this.spec, 'validations');
    const annotations = listAt(this.spec, 'auditAnnotations');
    if (validations.length === 0 && annotations.length === 0) {
      return ['validations', 'auditAnnotations'].map((field) =>
        required(child(SPEC, field), 'validations or auditAnnotations must contain at least one item'),
      );
    }
    const keys = annotations.map((annotation) => textAt(annotation, 'key'));
    return [
      ...validations.flatMap((validation, at) => this.validation(validation, index('spec.validations', at))),
      ...(annotations.length > MAX_ANNOTATIONS
        ? [
            invalidValue(
              'spec.auditAnnotations',
              own(this.spec, 'auditAnnotations'),
              `must not have more than ${MAX_ANNOTATIONS} auditAnnotations`,
            ),
          ]
        : []),
      ...annotations.flatMap((annotation, at) =>
        this.annotation(annotation, keys.indexOf(keys[at] ?? '') < at, index('spec.auditAnnotations', at)),
      ),
    ];
  }

  private validation(validation: JsonObject, path: string): FieldError[] {
    const [expression, message, messageExpression] = ['expression', 'message', 'messageExpression'].map((field) =>
      textAt(validation, field),
    );
    const errors: FieldError[] = [];
    if (expression === undefined || expression.trim() === '')
      errors.push(required(child(path, 'expression'), 'expression is not specified'));
    else errors.push(...this.expression(expression, this.declarations(true), ['bool'], child(path, 'expression')));
    errors.push(...this.messageExpression(messageExpression ?? '', child(path, 'messageExpression')));
    errors.push(...checkMessage(message ?? '', child(path, 'message')));
    if (own(validation, 'reason') !== undefined)
      errors.push(...oneOf(validation, 'reason', ['Forbidden', 'Invalid', 'RequestEntityTooLarge'], path));
    return errors;
  }

  private messageExpression(source: string, path: string): FieldError[] {
    if (source === '') return [];
    if (source.trim() === '') return [invalidValue(path, source, 'must be non-empty if specified')];
    return this.expression(source, this.declarations(false), ['string'], path);
  }

  private annotation(annotation: JsonObject, repeated: boolean, path: string): FieldError[] {
    const [key, source] = [textAt(annotation, 'key'), textAt(annotation, 'valueExpression')];
    const [field, trimmed] = [child(path, 'valueExpression'), source.trim()];
    const whole = `${this.name}/${key}`;
    const errors =
      this.name === ''
        ? [invalidValue(child(path, 'key'), key, 'requires metadata.name be non-empty')]
        : qualifiedName(whole).map((problem) => invalidValue(child(path, 'key'), whole, problem));
    if (trimmed === '') errors.push(required(field, 'valueExpression is not specified'));
    else if (Buffer.byteLength(trimmed) > MAX_VALUE_EXPRESSION)
      errors.push(required(field, `must not exceed ${MAX_VALUE_EXPRESSION} bytes in length`));
    else errors.push(...this.expression(trimmed, this.declarations(true), ['string', 'null_type'], field));
    return repeated ? [...errors, duplicate(child(path, 'key'), key)] : errors;
  }
}

function sameConditions(spec: JsonObject, old: JsonObject): boolean {
  return JSON.stringify(own(spec, 'matchConditions') ?? null) === JSON.stringify(own(old, 'matchConditions') ?? null);
}

function checkIdentifier(name: string, path: string): FieldError[] {
  if (name.trim() === '') return [required(path, 'name is not specified')];
  return /^[_a-zA-Z][_a-zA-Z0-9]*$/.test(name) && !isReserved(name)
    ? []
    : [invalidValue(path, name, 'must be a valid CEL identifier')];
}

function checkMessage(message: string, path: string): FieldError[] {
  if (message !== '' && message.trim() === '') return [invalidValue(path, message, 'must be non-empty if specified')];
  return /[\n\r]/.test(message.trim()) ? [invalidValue(path, message, 'must not contain line breaks')] : [];
}

function checkParamKind(kind: JsonObject, path: string): FieldError[] {
  const name = textAt(kind, 'kind');
  const problems = name === '' ? [] : dns1035Label(name.toLowerCase());
  return [
    ...checkVersion(textAt(kind, 'apiVersion'), child(path, 'apiVersion')),
    ...(name === '' ? [required(child(path, 'kind'))] : []),
    ...(problems.length === 0
      ? []
      : [
          invalidValue(
            child(path, 'kind'),
            name,
            `may have mixed case, but should otherwise match: ${problems.join(',')}`,
          ),
        ]),
  ];
}

function checkVersion(apiVersion: string, path: string): FieldError[] {
  if (apiVersion === '') return [required(path)];
  const parts = apiVersion === '/' ? ['', ''] : apiVersion.split('/');
  if (parts.length > 2) return [invalidValue(path, apiVersion, `unexpected GroupVersion string: ${apiVersion}`)];
  const [group = '', version = ''] = parts.length === 2 ? parts : ['', ...parts];
  const groupProblems = group === '' ? [] : dns1123Subdomain(group);
  const errors = groupProblems.length === 0 ? [] : [invalidValue(path, group, groupProblems.join(','))];
  if (version === '') return [...errors, invalidValue(path, apiVersion, 'version must be specified')];
  const versionProblems = dns1035Label(version);
  return versionProblems.length === 0 ? errors : [...errors, invalidValue(path, version, versionProblems.join(','))];
}
