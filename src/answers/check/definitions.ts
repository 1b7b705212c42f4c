import type { RawObject } from '../../runtime/vocabulary/meta.js';
import { field, recordsIn, sameJson, textField } from '../../runtime/vocabulary/json.js';
import { conditionIn, nameList } from '../../domain/conditions.js';
import {
  limitingPolicies,
  limitingText,
  missingPolicies,
  policiesCommand,
  protectingText,
  PROTECTING_POLICIES,
  type OwnPolicy,
} from '../../domain/engine/policies.js';
import { DEFINITIONS_REMEDY as REMEDY } from '../undecided.js';
import type { HubInput, ReadDefinition } from './input.js';
import { failed, INSTALL_REMEDY, passed, unread, warning, type CheckResult } from './result.js';

/** Checks what is installed from files: the CustomResourceDefinitions and the admission policies. */

const NAME = 'crds';
/** Policy multicluster-engine-target is not checked: only the operator knows whether its namespace is fixed. */
const HAS_TARGET_POLICY = false;

/** Checks whether each CustomResourceDefinition is served and has the schema of this version. */
export function checkDefinitions(definitions: readonly ReadDefinition[], version: string): CheckResult {
  const missing: string[] = [];
  const notEstablished: string[] = [];
  const different: string[] = [];
  for (const { wanted, stored } of definitions) {
    if (stored.kind === 'Withheld') return unread(NAME, 'whether the CRDs are those of this version', stored);
    const { name } = wanted.metadata;
    if (stored.value === undefined) missing.push(name);
    else if (conditionIn(stored.value.status, 'Established')?.['status'] !== 'True') notEstablished.push(name);
    else if (!isOfVersion(stored.value, wanted)) different.push(name);
  }
  if (missing.length > 0) {
    if (missing.length === definitions.length)
      return failed(NAME, `no CRD exists: ${nameList(missing)}`, INSTALL_REMEDY);
    return failed(NAME, `CRDs that do not exist, nor any of their objects: ${nameList(missing)}`, REMEDY);
  }
  if (notEstablished.length > 0) {
    const remedy = `kubectl describe crd ${notEstablished[0]}`;
    return failed(NAME, `CRDs that are not served: ${nameList(notEstablished)}`, remedy);
  }
  if (different.length > 0)
    return failed(NAME, `CRDs that are not of version ${version}: ${nameList(different)}`, REMEDY);
  const count = definitions.length === 6 ? 'six' : String(definitions.length);
  return passed(NAME, `${count} CRDs served, of this version`);
}

/** The names of the definitions that exist in another version. */
export function otherDefinitions(definitions: readonly ReadDefinition[]): readonly string[] {
  return definitions.flatMap(({ wanted, stored }) =>
    stored.kind === 'Known' && stored.value !== undefined && !isOfVersion(stored.value, wanted)
      ? [wanted.metadata.name]
      : [],
  );
}

/** The plural names of the kinds whose definitions do not exist. */
export function missingKinds(definitions: readonly ReadDefinition[]): readonly string[] {
  return definitions.flatMap(({ wanted, stored }) =>
    stored.kind === 'Known' && stored.value === undefined ? [wanted.metadata.name.split('.', 1).join('')] : [],
  );
}

/** Whether each wanted version is served with the same schema and subresources. Other fields may have defaults of the server. */
function isOfVersion(stored: RawObject, wanted: RawObject): boolean {
  const versions = recordsIn(field(stored.spec, 'versions'));
  return recordsIn(field(wanted.spec, 'versions')).every((one) => {
    const found = versions.find((other) => textField(other, 'name') === textField(one, 'name'));
    return (
      field(found, 'served') === field(one, 'served') &&
      sameJson(field(found, 'schema'), field(one, 'schema')) &&
      sameJson(field(found, 'subresources'), field(one, 'subresources'))
    );
  });
}

/**
 * Checks whether the policies that limit an identity are in force, and whether those that protect from mistakes are.
 * `isInstalled`: there is an engine, so that missing policies can be applied without an installation.
 */
export function checkPolicies(
  { policies, bindings }: HubInput['admission'],
  isInstalled: boolean,
): readonly CheckResult[] {
  const what = 'whether the admission policies are in force';
  if (policies.kind === 'Withheld') return [unread('policies', what, policies)];
  if (bindings.kind === 'Withheld') return [unread('policies', what, bindings)];
  const wanted = limitingPolicies(HAS_TARGET_POLICY);
  const stored = { policies: policies.value, bindings: bindings.value };
  const { limiting, protecting } = missingPolicies(stored, HAS_TARGET_POLICY);
  const hasNone = !isInstalled && limiting.length === wanted.length;
  const remedy = (missing: readonly OwnPolicy[]): string => (hasNone ? INSTALL_REMEDY : policiesCommand(missing));
  return [
    limiting.length === 0
      ? passed('policies', `${wanted.length} admission policies are in force`)
      : failed('policies', limitingText(limiting), remedy(limiting)),
    protecting.length === 0
      ? passed('protection', `${PROTECTING_POLICIES.length} policies against accidental deletions are in force`)
      : warning('protection', protectingText(protecting), remedy(protecting)),
  ];
}
