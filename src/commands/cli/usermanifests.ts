import {
  decodeYaml,
  MalformedBody,
  readableText,
  readJson,
  readYaml,
  type Json,
} from '@multicluster-engine/kube-apiserver/yaml';
import { field, isRecord, textField, type JsonRecord } from '../../api/json.js';
import type { KubeObject } from '../../api/meta.js';

/** An object of a file, and where it is, for errors. */
export interface UserManifest {
  readonly object: KubeObject;
  /** Such as `fleet.yaml, document 2`. */
  readonly where: string;
}

const SEPARATOR = '---';

/**
 * The objects of a manifest of a user, as `kubectl apply` reads them: the documents are split at lines that begin with `---`,
 * a document that begins with `{` is JSON, any other one YAML 1.1, of two equal keys the last one counts, and the items of a
 * list stand for themselves. `source` names the text in errors.
 * @throws Error with source, document and rule.
 */
export function parseUserManifests(bytes: Uint8Array, source: string): readonly UserManifest[] {
  const documents = documentsOf(textOf(bytes, source), source);
  return documents.flatMap((document, index) =>
    valuesOf(document, `${source}, document ${index + 1}`).flatMap(({ value, where }) => objectsIn(value, where)),
  );
}

function textOf(bytes: Uint8Array, source: string): string {
  const { text, isUtf8 } = decodeYaml(bytes);
  if (!isUtf8) throw new Error(`${source}: is not UTF-8`);
  return text;
}

function documentsOf(text: string, source: string): readonly string[] {
  const documents: string[][] = [[]];
  for (const [index, line] of text.split('\n').entries()) {
    if (!line.startsWith(SEPARATOR)) {
      documents.at(-1)?.push(line);
      continue;
    }
    const rest = line.slice(SEPARATOR.length).trim();
    if (rest !== '' && !rest.startsWith('#'))
      throw new Error(`${source}, line ${index + 1}: ${JSON.stringify(rest)}: only a comment may follow ---`);
    documents.push([]);
  }
  return documents.map((lines) => lines.join('\n')).filter((document) => document.trim() !== '');
}

interface Value {
  readonly value: Json;
  readonly where: string;
}

function valuesOf(document: string, where: string): readonly Value[] {
  const values = jsonValues(document);
  if (values !== undefined) return values.map((value) => ({ value, where }));
  try {
    return [{ value: readYaml(readableText(document, { isUtf8: true })).value, where }];
  } catch (error) {
    if (error instanceof MalformedBody) throw new Error(`${where}: ${error.message}`, { cause: error });
    throw error;
  }
}

/** The JSON objects that stand one after the other in a text, as `jq` prints them; undefined where it is not such a text. */
function jsonValues(text: string): readonly Json[] | undefined {
  if (!/^\s*\{/.test(text)) return undefined;
  try {
    return objectTexts(text).map((one) => readJson(one).value);
  } catch (error) {
    if (error instanceof MalformedBody) return undefined;
    throw error;
  }
}

/** The text up to the end of each outermost object. */
function objectTexts(text: string): readonly string[] {
  const texts: string[] = [];
  let [start, depth] = [0, 0];
  for (const { 0: token, index } of text.matchAll(/"(?:[^"\\]|\\.)*"|[{}]/gs)) {
    if (token === '{') depth += 1;
    if (token !== '}') continue;
    depth -= 1;
    if (depth > 0) continue;
    texts.push(text.slice(start, index + 1));
    start = index + 1;
  }
  const rest = text.slice(start);
  return rest.trim() === '' ? texts : [...texts, rest];
}

function objectsIn(value: Json, where: string): readonly UserManifest[] {
  if (value === null) return [];
  if (!isRecord(value)) throw new Error(`${where}: must be an object`);
  const items = field(value, 'items');
  if (!Array.isArray(items) || !textField(value, 'kind').endsWith('List')) return [objectIn(value, where)];
  return items.map((item: unknown, index) => objectIn(typed(item, value), `${where}, item ${index + 1}`));
}

/** The items of a list of one kind need not name it. */
function typed(item: unknown, list: JsonRecord): unknown {
  if (!isRecord(item) || textField(item, 'kind') !== '' || textField(item, 'apiVersion') !== '') return item;
  return { ...item, apiVersion: textField(list, 'apiVersion'), kind: textField(list, 'kind').replace(/List$/, '') };
}

function objectIn(value: unknown, where: string): UserManifest {
  if (!isRecord(value)) throw new Error(`${where}: must be an object`);
  const missing = ['apiVersion', 'kind'].find((key) => textField(value, key) === '');
  if (missing !== undefined) throw new Error(`${where}: ${missing}: must be set, to a string`);
  const metadata = field(value, 'metadata');
  if (textField(metadata, 'name') === '') throw new Error(`${where}: metadata.name: must be set, to a string`);
  // The required fields of KubeObject are checked above.
  const object = pruned(value, false) as KubeObject;
  const { annotations } = object.metadata;
  if (!isRecord(annotations)) return { object, where };
  return { object: { ...object, metadata: { ...object.metadata, annotations: empty(annotations) } }, where };
}

/** The new object that `kubectl apply` makes of a manifest: a field of null is none, a label too. */
export function createdFrom(object: KubeObject): KubeObject {
  return pruned(object, true) as KubeObject;
}

/** As the API server stores it, without the fields that are null: all of them, or those within lists, which are replaced whole. */
function pruned(value: unknown, isWhole: boolean): unknown {
  if (Array.isArray(value)) return value.map((item) => pruned(item, true));
  if (!isRecord(value)) return value;
  const kept = Object.entries(value).filter(([, item]) => !isWhole || item !== null);
  return Object.fromEntries(kept.map(([key, item]) => [key, pruned(item, isWhole)]));
}

/** As `kubectl apply` sends it, an annotation of null is empty. */
function empty(annotations: JsonRecord): Record<string, string> {
  // What is no text is refused later.
  return Object.fromEntries(Object.entries(annotations).map(([key, value]) => [key, (value ?? '') as string]));
}
