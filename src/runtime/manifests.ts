import path from 'node:path';
import { readFileSync, readdirSync } from 'node:fs';
import { loadAll, load } from 'js-yaml';
import type { KubeObject } from './vocabulary/meta.js';
import { field, isRecord, textField } from './vocabulary/json.js';

/**
 * The objects in the YAML files (`.yaml`, `.yml`) of a folder of the package, sorted by file name and then in the order of the file.
 * @throws Error with file, document and rule, for a document that is not a Kubernetes object
 */
export function readManifests(folder: string): KubeObject[] {
  const files = readdirSync(folder).filter((file) => /\.ya?ml$/.test(file));
  return files.sort().flatMap((file) => {
    const place = path.join(folder, file);
    return parseManifests(readFileSync(place, 'utf8'), place);
  });
}

/** The objects in one YAML text; `source` names it in errors. Empty documents are skipped. */
export function parseManifests(text: string, source: string): KubeObject[] {
  const documents: readonly unknown[] = loadAll(text, { filename: source });
  return documents.flatMap((document, index) =>
    document ? [objectIn(document, `${source}, document ${index + 1}`)] : [],
  );
}

function objectIn(document: unknown, where: string): KubeObject {
  const missing = ['apiVersion', 'kind'].find((key) => textField(document, key) === '');
  if (missing !== undefined) throw new Error(`${where}: ${missing}: must be set`);
  if (textField(field(document, 'metadata'), 'name') === '') throw new Error(`${where}: metadata.name: must be set`);
  // The required fields of KubeObject are checked above.
  return document as KubeObject;
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
