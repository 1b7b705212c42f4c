import type { FieldError } from '@multicluster-engine/values/schema/fielderror';
import { child, index, key, required } from '@multicluster-engine/values/schema/field';
import { namedSchemasAt, schemaAt, schemasAt, type RawSchema } from './rawschema.js';

/** A schema and its path; undefined where the parent has none there. */
interface SchemaAt {
  readonly schema: RawSchema | undefined;
  readonly path: string;
}

/** Checks that everything below allOf, anyOf, oneOf and not is also specified outside of them. */
export function checkCompleteness(schema: RawSchema, path: string): FieldError[] {
  return checkAlternatives(schema, path, { schema, path });
}

function checkAlternatives(schema: RawSchema, path: string, complete: SchemaAt): FieldError[] {
  const errors = checkNested({ schema: schemaAt(schema, 'not'), path: child(path, 'not') }, complete);
  for (const name of ['allOf', 'anyOf', 'oneOf']) {
    for (const [position, inner] of schemasAt(schema, name).entries())
      errors.push(...checkNested({ schema: inner, path: index(child(path, name), position) }, complete));
  }
  return errors;
}

function checkNested(nested: SchemaAt, complete: SchemaAt): FieldError[] {
  const { schema } = nested;
  if (schema === undefined) return [];
  if (complete.schema === undefined) return [required(complete.path, `because it is defined in ${nested.path}`)];
  const errors = checkAlternatives(schema, nested.path, complete);
  errors.push(
    ...checkNested(
      { schema: schemaAt(schema, 'items'), path: child(nested.path, 'items') },
      { schema: schemaAt(complete.schema, 'items'), path: child(complete.path, 'items') },
    ),
  );
  const properties = new Map(namedSchemasAt(complete.schema, 'properties'));
  for (const [name, property] of namedSchemasAt(schema, 'properties')) {
    const where = (path: string): string => key(child(path, 'properties'), name);
    errors.push(
      ...checkNested(
        { schema: property, path: where(nested.path) },
        { schema: properties.get(name), path: where(complete.path) },
      ),
    );
  }
  return errors;
}
