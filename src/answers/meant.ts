import { keyOf } from '../runtime/vocabulary/names.js';
import type { ObjectName, ResourceType, RawObject } from '../runtime/vocabulary/meta.js';
import { meantText, meantWords, nearestWord } from '@multicluster-engine/values/nearestword';
import { ManagedClusterSets, ManagedClusters, ManagedClusterSetBindings, Placements } from '../api/resources.js';
import { Namespaces } from '../runtime/vocabulary/kinds.js';
import type { ReadClient } from '../runtime/client/client.js';
import { ApiError, isFailure } from '../runtime/errors.js';
import { NotFoundError } from './output.js';
import type { WorldResource } from './world/world.js';

/**
 * Guesses which object somebody meant by a name that does not exist, as far as the caller may read the names. A guess is the end of
 * a sentence, `; did you mean web?`, and empty where there is none.
 */

/** The most namespaces that are named because they have an object of the same name. */
const MOST_PLACES = 3;

/** The guess by what the API server lists: of all namespaces or, where that is not allowed, of `namespace`. */
export async function meantInHub(
  client: Pick<ReadClient, 'list'>,
  type: ResourceType,
  name: string,
  namespace?: string,
): Promise<string> {
  for (const scope of new Set([undefined, namespace])) {
    try {
      const found = await client.list<RawObject>(type, scope, { metadataOnly: true });
      return meantAmong(found, namespace, name);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
    }
  }
  return '';
}

/** The error for an object that a command needs and that does not exist. */
export async function notFound(
  client: Pick<ReadClient, 'list'>,
  type: ResourceType,
  object: ObjectName,
): Promise<NotFoundError> {
  const meant = await meantInHub(client, type, object.name, object.namespace);
  return new NotFoundError(`${type.kind} ${keyOf(object)} was not found${meant}`);
}

/**
 * The guess among `objects`: the one with the most similar name in the namespace, else those with this very name in other
 * namespaces. `namespace` is undefined for a kind without namespaces.
 */
export function meantAmong(objects: readonly RawObject[], namespace: string | undefined, name: string): string {
  const here = objects.filter(({ metadata }) => metadata.namespace === namespace);
  const elsewhere = objects.filter(({ metadata }) => metadata.name === name && metadata.namespace !== namespace);
  const places = elsewhere.map(({ metadata }) => `${metadata.namespace}/${name}`).sort();
  return meantText(name, namesOf(here)) || meantWords(places.slice(0, MOST_PLACES));
}

/** The name that was probably meant; undefined for none. One with other numbers is not: `edge-9` is not `edge-1` mistyped. */
export function nearestName(name: string, names: readonly string[]): string | undefined {
  const numbers = (of: string): string => of.replaceAll(/\D+/g, ' ').trim();
  const alike = names.filter((one) => numbers(one) === numbers(name));
  return nearestWord(name, new Map(alike.map((one) => [one, 1])))?.word;
}

export function namesOf(objects: readonly { readonly metadata: { readonly name: string } }[]): readonly string[] {
  return objects.map(({ metadata }) => metadata.name);
}

/** {@link absentNote} of a set. It says `yet`: labels and bindings may name a set before somebody creates it. */
export async function absentSetNote(client: AbsenceClient, name: string): Promise<string | undefined> {
  return absentNote(client, ManagedClusterSets, name, ' yet');
}

/** {@link absentNote} of a namespace. A list in one that does not exist is empty, without an error that would say so. */
export async function absentNamespaceNote(client: AbsenceClient, name: string): Promise<string | undefined> {
  return absentNote(client, Namespaces, name);
}

type AbsenceClient = Pick<ReadClient, 'get' | 'list'>;

/**
 * A note that the object does not exist. Undefined if it exists, or if the caller may not read it: a user who may bind a set need not
 * have the right to read it.
 * @throws ApiError
 */
async function absentNote(
  client: AbsenceClient,
  type: ResourceType,
  name: string,
  rest = '',
): Promise<string | undefined> {
  try {
    if ((await client.get(type, { name }, { metadataOnly: true })) !== undefined) return undefined;
  } catch (error) {
    if (!isFailure(error, 'Forbidden')) throw error;
    return undefined;
  }
  return absentObjectText(client, type, name, rest);
}

/** `there is no Namespace shoop; did you mean shop?`, for an object that does not exist. `rest`: what follows its name. */
export async function absentObjectText(
  client: Pick<ReadClient, 'list'>,
  type: ResourceType,
  name: string,
  rest = '',
): Promise<string> {
  return `there is no ${type.kind} ${name}${rest}${await meantInHub(client, type, name)}`;
}

/** A kind, by the names that kubectl takes. */
export interface NamedKind {
  readonly resource: WorldResource;
  readonly type: ResourceType;
  readonly shortNames: readonly [string, ...string[]];
}

export const KINDS: readonly NamedKind[] = [
  { resource: 'placements', type: Placements, shortNames: ['fpl'] },
  { resource: 'managedclusters', type: ManagedClusters, shortNames: ['mcl', 'fmcl'] },
  { resource: 'managedclustersets', type: ManagedClusterSets, shortNames: ['mclset', 'fmclset'] },
  {
    resource: 'managedclustersetbindings',
    type: ManagedClusterSetBindings,
    shortNames: ['mclsetbinding', 'fmclsetbinding'],
  },
];

/** The kind of a name that kubectl takes. */
export function findKind(text: string): NamedKind | undefined {
  const word = text.toLowerCase();
  return KINDS.find((one) => kubectlNames(one).includes(word));
}

/** Plural, singular and short names, each with the group or without. */
function kubectlNames({ type, shortNames }: NamedKind): readonly string[] {
  const names = [type.plural, type.kind.toLowerCase(), ...shortNames];
  return names.flatMap((name) => [name, `${name}.${type.group}`, `${name}.${type.version}.${type.group}`]);
}

/**
 * The name in `TYPE NAME` or `TYPE/NAME`, as kubectl takes it and `-o name` prints it; undefined for other words. The name is
 * not checked.
 */
export function nameAfterKind(words: readonly string[], { kind }: ResourceType): string | undefined {
  const [type = '', name = '', ...more] = words.length === 1 ? (words[0] ?? '').split('/') : words;
  return name !== '' && more.length === 0 && findKind(type)?.type.kind === kind ? name : undefined;
}

/** As {@link nameAfterKind}, or NAME alone. */
export function nameAmong(words: readonly string[], type: ResourceType): string | undefined {
  return nameAfterKind(words, type) ?? (words.length === 1 ? words[0] : undefined);
}
