import type { FieldError } from '../../status.js';
import { child, index, key, required } from '../field.js';
import { namedSchemasAt, schemaAt, schemasAt, type RawSchema } from './rawschema.js';

/** A schema and its path. */
interface SchemaAt {
  readonly schema: RawSchema | undefined;
  readonly path: string;
}

/** Checks that everything below allOf, anyOf, oneOf and not is also specified outside of them. */
export function checkCompleteness(schema: RawSchema, path: string): FieldError[] {
  return checkAlternatives({ schema, path }, { schema, path });
}

function checkAlternatives(said: SchemaAt, of: SchemaAt): FieldError[] {
  if (said.schema === undefined) return [];
  const { schema, path } = said;
  const errors = checkNested({ schema: schemaAt(schema, 'not'), path: child(path, 'not') }, of);
  for (const name of ['allOf', 'anyOf', 'oneOf']) {
    for (const [position, inner] of schemasAt(schema, name).entries())
      errors.push(...checkNested({ schema: inner, path: index(child(path, name), position) }, of));
  }
  return errors;
}

function checkNested(said: SchemaAt, of: SchemaAt): FieldError[] {
  const { schema } = said;
  if (schema === undefined) return [];
  if (of.schema === undefined) return [required(of.path, `because it is defined in ${said.path}`)];
  const errors = checkAlternatives(said, of);
  errors.push(
    ...checkNested(
      { schema: schemaAt(schema, 'items'), path: child(said.path, 'items') },
      { schema: schemaAt(of.schema, 'items'), path: child(of.path, 'items') },
    ),
  );
  const properties = new Map(namedSchemasAt(of.schema, 'properties'));
  for (const [name, property] of namedSchemasAt(schema, 'properties')) {
    const where = (path: string): string => key(child(path, 'properties'), name);
    errors.push(
      ...checkNested(
        { schema: property, path: where(said.path) },
        { schema: properties.get(name), path: where(of.path) },
      ),
    );
  }
  return errors;
}
