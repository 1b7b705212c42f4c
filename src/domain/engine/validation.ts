import { objectRules } from '@multicluster-engine/cel/rules';
import { NO_FIELD } from '@multicluster-engine/values/schema/field';
import { customKinds, type CustomKind } from '@multicluster-engine/values/validation';
import type { MultiClusterEngineSpec } from '../../api/generated/multiclusterengine.js';
import { MultiClusterEngines } from '../../api/resources.js';
import { apiVersionOf } from '../../runtime/vocabulary/kinds.js';
import type { KubeObject } from '../../runtime/vocabulary/meta.js';
import type { Problem } from '../selectors.js';
import { targetNamespaceOf } from './spec.js';

/** The errors of the spec of a stored engine. */
export type SpecErrors = (spec: unknown) => readonly Problem[];

/**
 * Finds the errors of stored specs by the rules of the definition of engines. Admission refuses all of them; a spec may have been
 * stored while a rule was missing.
 */
export function specErrorsBy(definition: KubeObject): SpecErrors {
  const apiVersion = apiVersionOf(MultiClusterEngines);
  const { kind } = MultiClusterEngines;
  // The casts are safe: the types of the package describe the same objects, and these consist of JSON.
  const found = customKinds(definition as unknown as Parameters<typeof customKinds>[0], objectRules);
  const engines = found.find((one) => one.apiVersion === apiVersion && one.kind === kind);
  if (engines === undefined) throw new Error(`${definition.metadata.name}: does not define ${kind} of ${apiVersion}`);
  return (spec) => {
    const object = { apiVersion, kind, metadata: { name: 'engine' }, ...(spec !== undefined && { spec }) };
    const { errors } = engines.check(object as Parameters<CustomKind['check']>[0]);
    // Beside errors of fields, an error without a field only says that because of them other rules were not checked.
    return errors.filter(({ field }) => field !== NO_FIELD || errors.length === 1);
  };
}

/** The rules that the definition cannot express: the effective target namespace is immutable, and `only` is the one that is served. */
export function validateTargetNamespace(
  spec: MultiClusterEngineSpec | undefined,
  installedIn: string | undefined,
  only: string | undefined,
): readonly Problem[] {
  const field = 'spec.targetNamespace';
  const target = targetNamespaceOf(spec);
  const shown = JSON.stringify(target);
  if (installedIn !== undefined && installedIn !== '' && installedIn !== target) {
    const rule = `is immutable: the engine is installed in ${installedIn}; delete and recreate the engine`;
    return [{ field, message: `${shown}: ${rule}` }];
  }
  if (only !== undefined && only !== target)
    return [{ field, message: `${shown}: must be ${only}: the operator runs with --namespace ${only}` }];
  return [];
}
