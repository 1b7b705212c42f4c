import path from 'node:path';
import { Placements } from '../../api/resources.js';
import { readManifests } from '../../runtime/manifests.js';
import { packageRoot } from '../../runtime/process/build.js';
import { field, isRecord, recordsIn, textField } from '../../runtime/vocabulary/json.js';
import type { SchemaField } from '../wire/plan.js';

/** The fields of a Placement, from its definition. */

let known: readonly SchemaField[] | undefined;

export function placementSchema(): readonly SchemaField[] {
  known ??= fieldsOf(specSchema(), 'spec');
  return known;
}

function specSchema(): unknown {
  const definitions = readManifests(path.join(packageRoot(), 'crds'));
  const found = definitions.find(({ metadata }) => metadata.name === `${Placements.plural}.${Placements.group}`);
  const [version] = recordsIn(field(field(found, 'spec'), 'versions'));
  return field(field(field(field(version, 'schema'), 'openAPIV3Schema'), 'properties'), 'spec');
}

function fieldsOf(schema: unknown, at: string): readonly SchemaField[] {
  const items = field(schema, 'items');
  if (items !== undefined) return fieldsOf(items, at);
  const properties = field(schema, 'properties');
  if (!isRecord(properties)) return [];
  return Object.entries(properties).flatMap(([name, value]): readonly SchemaField[] => {
    const here = `${at}.${name}`;
    const values = field(value, 'enum') ?? field(field(value, 'items'), 'enum');
    const own: SchemaField = {
      path: here,
      type: textField(value, 'type'),
      description: textField(value, 'description').replaceAll(/\s+/g, ' '),
      values: Array.isArray(values) ? values.map(String) : [],
    };
    return [own, ...fieldsOf(value, here)];
  });
}
