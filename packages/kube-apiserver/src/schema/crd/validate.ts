import { equal, isObject, type JsonObject } from '@multicluster-engine/values/json';
import type { KubeObject } from '@multicluster-engine/values/object';
import { listAt, structAt, textAt, textsAt } from '@multicluster-engine/values/fields';
import type { FieldError } from '@multicluster-engine/values/schema/fielderror';
import {
  child,
  index,
  invalidRaw,
  invalidValue,
  key,
  notSupported,
  required,
} from '@multicluster-engine/values/schema/field';
import { goJson } from '@multicluster-engine/values/text';
import { dns1123Subdomain } from '@multicluster-engine/values/formats';
import { APPROVAL, approvalOf, needsApproval } from './approval.js';
import { versionsText } from './goform.js';
import { fieldAt, someSchema } from './rawschema.js';
import { hasStatus, specOf, type Spec } from './spec.js';
import { checkConversion, checkDeprecation, checkNames, dns1035LabelErrors } from './fields.js';
import { checkParts, type RuleChecks } from './versionparts.js';

/**
 * Validates a CustomResourceDefinition except for its metadata, as `ValidateCustomResourceDefinition` of apiextensions
 * does. Conversion webhooks are rejected.
 * @param old the stored definition; undefined on a create.
 */
export function validateDefinition(crd: KubeObject, old: KubeObject | undefined, rules: RuleChecks): FieldError[] {
  const spec = specOf(crd);
  const before = old === undefined ? undefined : specOf(old);
  const errors = old === undefined ? checkName(crd, spec) : [];
  errors.push(...checkSpec(spec, before, rules));
  if (old !== undefined && before !== undefined) errors.push(...checkImmutable(spec, before, isEstablished(old)));
  errors.push(...checkStored(crd), ...checkApproval(crd, old, spec.group));
  return [...errors, ...checkPreservation(spec)];
}

function checkPreservation(spec: Spec): FieldError[] {
  if (!spec.preserveUnknownFields) return [];
  return [
    invalidValue(
      PRESERVED,
      true,
      'cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead',
    ),
  ];
}

const PRESERVED = 'spec.preserveUnknownFields';

function checkDefaulting({ shared, versions, preserveUnknownFields }: Spec): FieldError[] {
  if (
    !preserveUnknownFields ||
    ![shared, ...versions].some(({ schema }) => someSchema(schema, (one) => fieldAt(one, 'default') !== undefined))
  )
    return [];
  return [invalidValue(PRESERVED, true, 'must be false in order to use defaults in the schema')];
}

/** A generated name can never be valid: the name must be `plural.group`. Both fields are reported. */
function checkName({ metadata: { name = '', generateName = '' } }: KubeObject, { names, group }: Spec): FieldError[] {
  const given = [
    ['metadata.generateName', generateName],
    ['metadata.name', name],
  ] as const;
  const wrong = given.filter(([, text]) => text !== '' && text !== `${textAt(names, 'plural')}.${group}`);
  return wrong.map(([field, text]) => invalidValue(field, text, 'must be spec.names.plural+"."+spec.group'));
}

function checkSpec(spec: Spec, before: Spec | undefined, rules: RuleChecks): FieldError[] {
  const { versions, shared } = spec;
  const shown = spec.shown === undefined ? 'null' : versionsText(spec.shown);
  const errors = [...checkGroup(spec.group), ...checkScope(spec.scope)];
  if (shared.schema === undefined) {
    for (const [position, { schema }] of versions.entries()) {
      if (schema === undefined) errors.push(required(`spec.versions[${position}].schema.openAPIV3Schema`));
    }
  }
  errors.push(...checkDefaulting(spec));
  for (const [position, version] of versions.entries()) {
    const path = `spec.versions[${position}]`;
    const subresources = version.subresources ?? shared.subresources;
    errors.push(
      ...dns1035LabelErrors(version.name, child(path, 'name')),
      ...checkDeprecation(version.deprecated, version.deprecationWarning, child(path, 'deprecationWarning')),
    );
    errors.push(
      ...checkParts(
        version,
        {
          path,
          schemaPath: child(path, 'schema'),
          status: hasStatus(subresources),
          ...sameAs(spec, before, version.name),
        },
        rules,
      ),
    );
  }
  if (new Set(versions.map(({ name }) => name)).size < versions.length)
    errors.push(invalidRaw('spec.versions', shown, 'must contain unique version names'));
  if (versions.filter(({ storage }) => storage).length !== 1)
    errors.push(invalidRaw('spec.versions', shown, 'must have exactly one version marked as storage version'));
  if (versions[0] !== undefined)
    errors.push(...dns1035LabelErrors(versions[0].name, 'spec.version').filter(() => versions[0]?.name !== ''));
  errors.push(
    ...['plural', 'singular', 'kind', 'listKind']
      .filter((name) => textAt(spec.names, name) === '')
      .map((name) => required(`spec.names.${name}`)),
  );
  errors.push(...checkNames(spec.names, 'spec.names'));
  const status = hasStatus(shared.subresources) || versions.some(({ subresources }) => hasStatus(subresources));
  errors.push(
    ...checkParts(
      shared,
      { path: 'spec', schemaPath: 'spec.validation', status, ...sameAs(spec, before, versions[0]?.name ?? '') },
      rules,
    ),
  );
  return [...errors, ...checkConversion(spec.conversion, 'spec.conversion')];
}

function sameAs(
  spec: Spec,
  before: Spec | undefined,
  name: string,
): { readonly sameSchema: boolean; readonly sameSelectable: boolean } {
  const [next, old] = [spec, before].map((one) => one?.versions.find((version) => version.name === name));
  if (before === undefined || next === undefined || old === undefined)
    return { sameSchema: false, sameSelectable: false };
  const selectable = [next.selectable, spec.shared.selectable].find((list) => list.length > 0) ?? [];
  const oldSelectable = [old.selectable, before.shared.selectable].find((list) => list.length > 0) ?? [];
  return {
    sameSchema: equal(next.schema ?? spec.shared.schema, old.schema ?? before.shared.schema),
    sameSelectable: equal(selectable, oldSelectable),
  };
}

function checkGroup(group: string): FieldError[] {
  if (group === '') return [required('spec.group')];
  const problems = dns1123Subdomain(group);
  if (problems.length > 0) return [invalidValue('spec.group', group, problems.join(','))];
  return group.includes('.') ? [] : [invalidValue('spec.group', group, 'should be a domain with at least one dot')];
}

function checkScope(scope: string): FieldError[] {
  const scopes = ['Cluster', 'Namespaced'];
  if (scope === '') return [required('spec.scope')];
  return scopes.includes(scope) ? [] : [notSupported('spec.scope', scope, scopes)];
}

function checkImmutable(spec: Spec, before: Spec, established: boolean): FieldError[] {
  const fixed: [string, string, string][] = [
    ['spec.group', spec.group, before.group],
    ['spec.names.plural', textAt(spec.names, 'plural'), textAt(before.names, 'plural')],
  ];
  if (established)
    fixed.unshift(
      ['spec.scope', spec.scope, before.scope],
      ['spec.names.kind', textAt(spec.names, 'kind'), textAt(before.names, 'kind')],
    );
  return fixed
    .filter(([, value, old]) => value !== old)
    .map(([field, value]) => invalidValue(field, value, 'field is immutable'));
}

function isEstablished(crd: KubeObject): boolean {
  return listAt(structAt(crd, 'status'), 'conditions').some(
    (condition) => condition['type'] === 'Established' && condition['status'] === 'True',
  );
}

function checkStored(crd: KubeObject): FieldError[] {
  const path = 'status.storedVersions';
  const stored = textsAt(structAt(crd, 'status'), 'storedVersions');
  if (stored.length === 0)
    return [
      invalidRaw(
        path,
        isObject(crd['status']) && Array.isArray(crd['status']['storedVersions']) ? '[]' : 'null',
        'must have at least one stored version',
      ),
    ];
  const versions: readonly JsonObject[] = listAt(structAt(crd, 'spec'), 'versions');
  const errors: FieldError[] = [];
  const left = new Set(stored);
  for (const version of versions) {
    const name = textAt(version, 'name');
    // Of two versions with one name, only the first finds the stored version.
    if (!left.delete(name) && version['storage'] === true)
      errors.push(invalidRaw(path, goJson([...stored]), `must have the storage version ${name}`));
  }
  for (const [position, name] of stored.entries()) {
    if (versions.some((version) => textAt(version, 'name') === name)) continue;
    errors.push(
      invalidValue(
        index(path, position),
        name,
        `missing from spec.versions; ${name} was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in ${name} and removes ${name} from status.storedVersions`,
      ),
    );
  }
  return errors;
}

/** The groups of Kubernetes itself need the approval annotation. */
function checkApproval(crd: KubeObject, old: KubeObject | undefined, group: string): FieldError[] {
  if (!needsApproval(group)) return [];
  const { state, message } = approvalOf(crd);
  if (state === 'approved' || state === 'bypassed' || (old !== undefined && approvalOf(old).state === state)) return [];
  const field = key('metadata.annotations', APPROVAL);
  return [
    state === 'missing'
      ? required(field, message)
      : invalidValue(field, crd.metadata.annotations?.[APPROVAL] ?? '', message),
  ];
}
