import { asRecord } from '../src/runtime/vocabulary/json.js';
import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { load } from 'js-yaml';

/** A column of `kubectl get`. */
export interface Column {
  readonly name: string;
  readonly description: string;
  /** Shown only with `-o wide`. */
  readonly wide: boolean;
}

/** One node of a CRD's schema, as far as the generators look at it. */
export interface Field {
  readonly type: string;
  readonly description: string;
  readonly properties: Readonly<Record<string, Field>>;
  /** The element of an array. */
  readonly items?: Field;
  /** The value of a map. */
  readonly values?: Field;
  readonly required: readonly string[];
  readonly enumeration?: readonly string[];
  readonly hasDefault: boolean;
}

/** One CustomResourceDefinition of the folder `crds/`. */
export interface Crd {
  /** File name within `crds/`, without its ending: the kind in lower case. */
  readonly file: string;
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly shortNames: readonly string[];
  readonly namespaced: boolean;
  readonly statusSubresource: boolean;
  readonly columns: readonly Column[];
  readonly schema: Field;
}

/** Every CRD of the package at `root`, sorted by file name. */
export function readCrds(root: string): Crd[] {
  const folder = path.join(root, 'crds');
  return readdirSync(folder)
    .sort()
    .map((name) => parseCrd(name.replace(/\.yaml$/, ''), readFileSync(path.join(folder, name), 'utf8')));
}

/** Reads one CRD with exactly one version; throws when it has another shape. */
export function parseCrd(file: string, text: string): Crd {
  const spec = asRecord(asRecord(load(text))['spec']);
  const names = asRecord(spec['names']);
  const versions = list(spec['versions']);
  if (versions.length !== 1)
    throw new Error(`crds/${file}.yaml: spec.versions has ${versions.length} items, one is expected`);
  const version = asRecord(versions[0]);
  return {
    file,
    group: asText(spec['group']),
    version: asText(version['name']),
    kind: asText(names['kind']),
    plural: asText(names['plural']),
    shortNames: list(names['shortNames']).map(asText),
    namespaced: spec['scope'] === 'Namespaced',
    statusSubresource: 'status' in asRecord(version['subresources']),
    columns: list(version['additionalPrinterColumns']).map((column) => columnOf(asRecord(column))),
    schema: fieldOf(asRecord(asRecord(version['schema'])['openAPIV3Schema'])),
  };
}

/** Calls `visit` for every field below `field`, parents first, with its path as `kubectl explain` writes it. */
export function walk(field: Field, visit: (path: string, field: Field, parent: Field) => void, at = ''): void {
  for (const [name, child] of Object.entries(field.properties)) {
    const here = at === '' ? name : `${at}.${name}`;
    visit(here, child, field);
    walk(child, visit, here);
  }
  if (field.items !== undefined) {
    visit(`${at}[]`, field.items, field);
    walk(field.items, visit, `${at}[]`);
  }
}

function columnOf(column: Record<string, unknown>): Column {
  return {
    name: asText(column['name']),
    description: asText(column['description']),
    wide: column['priority'] === 1,
  };
}

function fieldOf(node: Record<string, unknown>): Field {
  const properties: Record<string, Field> = {};
  for (const [name, child] of Object.entries(asRecord(node['properties']))) properties[name] = fieldOf(asRecord(child));
  return {
    type: node['x-kubernetes-int-or-string'] === true ? 'int-or-string' : asText(node['type']),
    description: asText(node['description']),
    properties,
    ...('items' in node ? { items: fieldOf(asRecord(node['items'])) } : {}),
    ...('additionalProperties' in node ? { values: fieldOf(asRecord(node['additionalProperties'])) } : {}),
    required: list(node['required']).map(asText),
    ...('enum' in node ? { enumeration: list(node['enum']).map(asText) } : {}),
    hasDefault: 'default' in node,
  };
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
