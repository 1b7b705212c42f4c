import path from 'node:path';
import { readFileSync, readdirSync } from 'node:fs';
import { YAMLException, loadAll, load } from 'js-yaml';
import type { KubeObject } from './vocabulary/meta.js';
import { field, isRecord, textField } from './vocabulary/json.js';

/**
 * The objects in the YAML files (`.yaml`, `.yml`) of a folder, sorted by file name and then in the order of the file.
 * @throws Error with file, document and rule: for a document that is not a Kubernetes object, and for YAML 1.1 syntax that
 * has another meaning in YAML 1.2 (`<<` merge keys, octal numbers such as 0644).
 */
export function readManifests(folder: string): KubeObject[] {
  const files = readdirSync(folder).filter((file) => /\.ya?ml$/.test(file));
  const objects: KubeObject[] = [];
  for (const file of files.sort()) {
    objects.push(...parseManifests(readFileSync(path.join(folder, file), 'utf8'), path.join(folder, file)));
  }
  return objects;
}

/** The objects in one YAML text, those of a `List` too; `source` names it in errors. Empty documents are skipped. */
export function parseManifests(text: string, source: string): KubeObject[] {
  rejectOctal(text, source);
  const documents = parse(text, source);
  return documents.flatMap((document, index) => {
    if (document === null || document === undefined) return [];
    const where = `${source}, document ${index + 1}`;
    const items = field(document, 'items');
    if (!textField(document, 'kind').endsWith('List') || !Array.isArray(items)) return [objectIn(document, where)];
    return items.map((item: unknown, at) => objectIn(item, `${where}, item ${at + 1}`));
  });
}

function parse(text: string, source: string): unknown[] {
  try {
    return loadAll(text);
  } catch (error) {
    if (error instanceof YAMLException) throw new Error(`${source}: not valid YAML: ${error.message}`);
    throw error;
  }
}

/** YAML 1.2 reads 0644 as 644; kubectl reads it as octal, 420. */
function rejectOctal(text: string, source: string): void {
  const lines = text.split('\n');
  const line = lines.findIndex((one) => /(:|^\s*-)\s+[-+]?0[0-7]+\s*(#.*)?$/.test(one));
  if (line >= 0)
    throw new Error(
      `${source}, line ${line + 1}: "${lines[line]?.trim() ?? ''}": write an octal number as a decimal one`,
    );
}

function objectIn(document: unknown, where: string): KubeObject {
  const name = textField(field(document, 'metadata'), 'name');
  const missing = ['apiVersion', 'kind'].find((key) => textField(document, key) === '');
  if (!isRecord(document) || missing !== undefined)
    throw new Error(`${where}: ${missing ?? 'apiVersion'}: must be set`);
  if (name === '') throw new Error(`${where}: metadata.name: must be set`);
  rejectMergeKeys(document, where);
  // The required fields of KubeObject are checked above.
  return document as unknown as KubeObject;
}

function rejectMergeKeys(value: unknown, where: string): void {
  if (typeof value !== 'object' || value === null) return;
  for (const [key, part] of Object.entries(value)) {
    if (key === '<<') throw new Error(`${where}: "<<": merge keys are not expanded, write the fields out`);
    rejectMergeKeys(part, where);
  }
}

const SUPPORTED: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'resources', 'labels']);

/**
 * The objects of a kustomization, in its order. Only `resources` and the pairs of `labels` are supported.
 * @throws Error with the file and the unsupported field.
 */
export function readKustomization(folder: string): KubeObject[] {
  const file = path.join(folder, 'kustomization.yaml');
  const content: unknown = load(readFileSync(file, 'utf8'));
  if (!isRecord(content)) throw new Error(`${file}: must be a mapping`);
  const unsupported = Object.keys(content).find((key) => !SUPPORTED.has(key));
  if (unsupported !== undefined)
    throw new Error(`${file}: ${unsupported}: not supported, only ${[...SUPPORTED].join(', ')}`);
  const labels = labelsOf(content['labels']);
  const { resources } = content;
  const objects = (Array.isArray(resources) ? resources.map(String) : []).flatMap((entry) => {
    const place = path.join(folder, entry);
    return entry.endsWith('.yaml') ? parseManifests(readFileSync(place, 'utf8'), place) : readKustomization(place);
  });
  return objects.map((object) => labelled(object, labels));
}

function labelled(object: KubeObject, labels: Readonly<Record<string, string>>): KubeObject {
  if (Object.keys(labels).length === 0) return object;
  return { ...object, metadata: { ...object.metadata, labels: { ...object.metadata.labels, ...labels } } };
}

function labelsOf(rows: unknown): Record<string, string> {
  const pairs = Array.isArray(rows) ? rows.flatMap((row) => Object.entries(field(row, 'pairs') ?? {})) : [];
  return Object.fromEntries(pairs.map(([key, value]) => [key, String(value)]));
}
