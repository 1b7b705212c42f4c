import type { Json } from '@multicluster-engine/values/json';
import type { PrinterColumn } from '@multicluster-engine/values/schema/custom/definition';
import type { Column } from '../resource.js';
import { humanAge } from './ages.js';
import { textOf, walk } from '@multicluster-engine/values/jsonpath/jsonpath';
import { parsePath, TemplateError, type Path } from '@multicluster-engine/values/jsonpath/jsonpathparser';

const TYPES = ['string', 'integer', 'number', 'boolean', 'date'] as const;
const CREATED =
  'CreationTimestamp is a timestamp representing the server time when this object was created. It is not guaranteed to be set in happens-before order across separate operations. Clients may not set this value. It is represented in RFC3339 form and is in UTC.\n\nPopulated by the system. Read-only. Null for lists. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata';
/** The column of a custom resource whose definition declares none. */
export const AGE: PrinterColumn = {
  name: 'Age',
  type: 'date',
  description: CREATED,
  jsonPath: '.metadata.creationTimestamp',
};

/**
 * The columns of a custom resource after Name; Age alone where the definition declares none. Columns after one with an
 * invalid path are dropped, as on kube-apiserver.
 */
export function customColumns(columns: readonly PrinterColumn[]): readonly Column[] {
  const result: Column[] = [];
  for (const column of columns.length === 0 ? [AGE] : columns) {
    const path = orUndefined(() => parsePath(column.jsonPath));
    if (path === undefined) break;
    result.push(columnOf(column, path));
  }
  return result;
}

function orUndefined<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    if (error instanceof TemplateError) return undefined;
    throw error;
  }
}

function columnOf({ name, type, format, description, priority, jsonPath }: PrinterColumn, path: Path): Column {
  const known = TYPES.find((one) => one === type) ?? 'string';
  return {
    name,
    type: known,
    ...(format === undefined ? {} : { format }),
    description: description || `Custom resource definition column (in JSONPath format): ${jsonPath}`,
    priority: priority ?? 0,
    cell: (object, now) => cellOf(known, orUndefined(() => walk(path, [object]))?.[0], now),
  };
}

/** The cell is null where the value does not have the type of the column. */
function cellOf(type: Column['type'], value: Json | undefined, now: number): Json {
  if (value === undefined) return null;
  if (value === null) return type === 'string' ? '<no value>' : null;
  switch (type) {
    case 'integer':
      return typeof value === 'number' ? Math.trunc(value) : null;
    case 'number':
      return typeof value === 'number' ? value : null;
    case 'boolean':
      return typeof value === 'boolean' ? value : null;
    case 'date':
      return typeof value === 'string' ? humanAge(value, now) : null;
    case 'string':
      return textOf(value);
  }
}
