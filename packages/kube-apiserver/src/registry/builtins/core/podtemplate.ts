import type { KubeObject } from '@multicluster-engine/values/object';
import type { FieldError } from '@multicluster-engine/values/schema/fielderror';
import { ensureStruct } from '../draft.js';
import { structAt } from '@multicluster-engine/values/fields';
import type { Kind } from '../kind.js';
import { dropDisabledFields } from '../pod/features.js';
import { checkTemplate } from '../pod/template.js';
import { templateWarnings } from '../pod/warnings/template.js';
import { podSpecDefaults } from '../pod/defaults/podspec.js';

export const POD_TEMPLATE: Kind = {
  group: '',
  version: 'v1',
  kind: 'PodTemplate',
  plural: 'podtemplates',
  namespaced: true,
  definition: 'io.k8s.api.core.v1.PodTemplate',
  generation: 'spec',
  defaults: (template) => podSpecDefaults(ensureStruct(ensureStruct(template, 'template'), 'spec')),
  prepareCreate: withoutDisabledFields,
  prepareUpdate: withoutDisabledFields,
  validate,
  validateUpdate: validate,
  warnings: (next, old) =>
    old !== undefined && old.metadata.generation === next.metadata.generation
      ? []
      : templateWarnings(structAt(next, 'template'), 'template'),
};

function withoutDisabledFields(object: KubeObject): KubeObject {
  const template = structAt(object, 'template');
  const kept = dropDisabledFields(template);
  return kept === template ? object : { ...object, template: kept };
}

function validate(object: KubeObject): readonly FieldError[] {
  return checkTemplate(structAt(object, 'template'), 'template');
}
