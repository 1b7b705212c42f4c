import { readFileSync } from 'node:fs';
import path from 'node:path';
import { load } from 'js-yaml';
import type { KubeObject } from '../vocabulary/meta.js';
import { field, isRecord } from '../vocabulary/json.js';
import { parseManifests } from './manifests.js';

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
  const objects = stringsOf(content['resources']).flatMap((entry) => {
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

function stringsOf(value: unknown): string[] {
  return Array.isArray(value) ? value.map(String) : [];
}
