import type { RawObject } from '../../runtime/vocabulary/meta.js';
import { LAST_APPLIED } from '../../api/names.js';
import { yamlText } from '../../answers/output.js';
import { isRecord, recordsIn, textField } from '../../runtime/vocabulary/json.js';

/** Objects as somebody would write and apply them. */

export function manifestText(object: RawObject): string {
  return yamlText(manifestOf(object));
}

/** Without status and what the API server sets. */
export function manifestOf({ apiVersion, kind, metadata, spec }: RawObject): object {
  const { name, namespace, labels, annotations = {} } = metadata;
  const { [LAST_APPLIED]: _last, ...others } = annotations;
  return {
    apiVersion,
    kind,
    metadata: {
      name,
      ...(namespace === undefined ? {} : { namespace }),
      ...(labels === undefined ? {} : { labels }),
      ...(Object.keys(others).length === 0 ? {} : { annotations: others }),
    },
    ...(spec === undefined ? {} : { spec }),
  };
}

/** Who wrote the part of the object last, such as `f:spec`; undefined where that is not recorded. */
export function managerOf({ metadata }: RawObject, part: string): string | undefined {
  const entries = recordsIn((metadata as { readonly managedFields?: unknown }).managedFields);
  const writers = entries.filter(({ fieldsV1 }) => isRecord(fieldsV1) && Object.hasOwn(fieldsV1, part));
  const [last] = writers.sort((a, b) => (textField(a, 'time') < textField(b, 'time') ? 1 : -1));
  return last === undefined ? undefined : textField(last, 'manager') || undefined;
}
