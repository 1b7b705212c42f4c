import type { Json, JsonObject } from '@multicluster-engine/values/json';
import type { KubeObject } from '@multicluster-engine/values/object';
import { listAt, structAt, textAt, textsAt } from '@multicluster-engine/values/fields';
import type { FieldError } from '@multicluster-engine/values/schema/fielderror';
import { schemaFormat } from '@multicluster-engine/values/schema/schemaformat';
import { goQuote } from '@multicluster-engine/values/text';
import { fieldAt, subschemas, schemaAt, type RawSchema } from './rawschema.js';
import { validateDefinition } from './validate.js';
import type { RuleChecks } from './versionparts.js';

/** Defaulting and validation of CustomResourceDefinition objects. */
export interface DefinitionRules {
  defaultCrd(crd: KubeObject): KubeObject;
  validateCrd(crd: KubeObject): readonly FieldError[];
  validateCrdUpdate(next: KubeObject, old: KubeObject): readonly FieldError[];
  crdWarnings(crd: KubeObject, old: KubeObject | undefined): readonly string[];
}

export function createDefinitionRules(rules: RuleChecks): DefinitionRules {
  return {
    defaultCrd,
    validateCrd: (crd) => validateDefinition(crd, undefined, rules),
    validateCrdUpdate: (next, old) => validateDefinition(next, old, rules),
    crdWarnings,
  };
}

/** Fills in names, conversion and status.storedVersions. */
function defaultCrd(crd: KubeObject): KubeObject {
  const spec = structAt(crd, 'spec');
  const names = structAt(spec, 'names');
  const kind = textAt(names, 'kind');
  const filled: JsonObject = {
    ...names,
    ...(textAt(names, 'singular') === '' ? { singular: kind.toLowerCase() } : {}),
    ...(textAt(names, 'listKind') === '' && kind !== '' ? { listKind: `${kind}List` } : {}),
  };
  const conversion: Json = fieldAt(spec, 'conversion') ?? { strategy: 'None' };
  return { ...crd, spec: { ...spec, names: filled, conversion }, ...storedVersions(crd) };
}

function storedVersions(crd: KubeObject): { readonly status?: JsonObject } {
  const status = structAt(crd, 'status');
  if (textsAt(status, 'storedVersions').length > 0) return {};
  const storage = listAt(structAt(crd, 'spec'), 'versions').find((version) => version['storage'] === true);
  return storage === undefined ? {} : { status: { ...status, storedVersions: [textAt(storage, 'name')] } };
}

/** Warnings for formats that the API server does not know and ignores; on an update only for new ones. */
function crdWarnings(crd: KubeObject, old: KubeObject | undefined): readonly string[] {
  const before = old === undefined ? [] : unknownFormats(old);
  return unknownFormats(crd)
    .filter((format) => !before.includes(format))
    .map((format) => `unrecognized format ${goQuote(format)}`);
}

function unknownFormats(crd: KubeObject): string[] {
  const schemas = listAt(structAt(crd, 'spec'), 'versions').map((version) =>
    schemaAt(structAt(version, 'schema'), 'openAPIV3Schema'),
  );
  const distinct = schemas.filter(
    (schema, position) =>
      schema !== undefined &&
      schemas.findIndex((other) => JSON.stringify(other) === JSON.stringify(schema)) === position,
  );
  return distinct.flatMap((schema) => (schema === undefined ? [] : formatsIn(schema)));
}

function formatsIn(schema: RawSchema): string[] {
  const format = textAt(schema, 'format');
  const own = format !== '' && schemaFormat(schema) === undefined ? [format] : [];
  return [...own, ...subschemas(schema).flatMap(formatsIn)];
}
