import type { KubeObject } from '@multicluster-engine/values/object';
import type { FieldError } from '@multicluster-engine/values/schema/fielderror';
import { listAt, structAt, textAt, textsAt } from '@multicluster-engine/values/fields';
import { fieldsFrom, STATUS, type Kind } from './kind.js';

/** Defaults and validation of CustomResourceDefinitions, which the schema module implements. */
export interface DefinitionRules {
  defaultCrd(crd: KubeObject): KubeObject;
  validateCrd(crd: KubeObject): readonly FieldError[];
  validateCrdUpdate(next: KubeObject, old: KubeObject): readonly FieldError[];
  /** Texts of warnings about unknown formats. */
  crdWarnings(crd: KubeObject, old: KubeObject | undefined): readonly string[];
}

export function definitionKind(rules: DefinitionRules): Kind {
  return {
    group: 'apiextensions.k8s.io',
    version: 'v1',
    kind: 'CustomResourceDefinition',
    plural: 'customresourcedefinitions',
    namespaced: false,
    definition: 'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinition',
    shortNames: ['crd', 'crds'],
    categories: ['api-extensions'],
    subresources: [STATUS],
    conditionalUpdate: true,
    storageVersion: 'v1beta1',
    generation: 'spec',
    completeDefaults: (crd) => rules.defaultCrd(crd),
    prepareCreate: (crd) => withStorageVersion({ ...crd, status: {} }),
    // defaultCrd fills status.storedVersions from the stored spec where the request left it empty.
    prepareUpdate: (next, old, subresource) =>
      subresource === 'status'
        ? rules.defaultCrd(fieldsFrom(next, old, ['spec']))
        : withStorageVersion(fieldsFrom(next, old, ['status'])),
    validate: (crd) => rules.validateCrd(crd),
    validateUpdate: (next, old, subresource) => (subresource === 'status' ? [] : rules.validateCrdUpdate(next, old)),
    warnings: (crd, old) => rules.crdWarnings(crd, old),
  };
}

/** Adds the storage version to status.storedVersions, the list of all versions in which objects may be stored. */
function withStorageVersion(crd: KubeObject): KubeObject {
  const storage = listAt(structAt(crd, 'spec'), 'versions').find((version) => version['storage'] === true);
  const name = storage === undefined ? '' : textAt(storage, 'name');
  const status = structAt(crd, 'status');
  const stored = textsAt(status, 'storedVersions');
  if (name === '' || stored.includes(name)) return crd;
  return { ...crd, status: { ...status, storedVersions: [...stored, name] } };
}
