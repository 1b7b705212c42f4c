import { keyOf } from '../runtime/vocabulary/names.js';
import type { ObjectName, ResourceType, RawObject } from '../runtime/vocabulary/meta.js';
import { meantText, meantWords } from '@multicluster-engine/values/nearestword';
import { ManagedClusterSets } from '../api/resources.js';
import { Namespaces } from '../runtime/vocabulary/kinds.js';
import type { ReadClient } from '../runtime/client/client.js';
import { ApiError, isFailure } from '../runtime/errors.js';
import { NotFoundError } from './output.js';

/** The objects that were probably meant by a name that does not exist, for those who may read them. */

/** So many namespaces with an object of the same name are named. */
const MOST_PLACES = 3;

/**
 * `; did you mean web?`, by a LIST of all namespaces, else of this one; empty where no name is near, or the names cannot be
 * listed: the error itself is said anyway.
 */
export async function meantOf(
  client: Pick<ReadClient, 'list'>,
  type: ResourceType,
  word: string,
  namespace?: string,
): Promise<string> {
  for (const scope of new Set([undefined, namespace])) {
    try {
      const found = await client.list<RawObject>(type, scope, { metadataOnly: true });
      return meantAmong(found, namespace, word);
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
  const meant = await meantOf(client, type, object.name, object.namespace);
  return new NotFoundError(`${type.kind} ${keyOf(object)} was not found${meant}`);
}

/** An object with a similar name in the namespace (undefined: the kind has none), else one with this name in another one. */
export function meantAmong(objects: readonly RawObject[], namespace: string | undefined, name: string): string {
  const here = objects.filter(({ metadata }) => metadata.namespace === namespace);
  const elsewhere = objects.filter(({ metadata }) => metadata.name === name && metadata.namespace !== namespace);
  const places = elsewhere.map(({ metadata }) => `${metadata.namespace}/${name}`).sort();
  return meantText(name, namesOf(here)) || meantWords(places.slice(0, MOST_PLACES));
}

export function namesOf(objects: readonly { readonly metadata: { readonly name: string } }[]): readonly string[] {
  return objects.map(({ metadata }) => metadata.name);
}

/** That a set does not exist, which a label or a binding may name before it does; as {@link absentNote}. */
export async function absentSetNote(client: AbsenceClient, name: string): Promise<string | undefined> {
  return absentNote(client, ManagedClusterSets, name, ' yet');
}

/** That there is no such namespace: a collection of it is empty then, and no error. As {@link absentNote}. */
export async function absentNamespaceNote(client: AbsenceClient, name: string): Promise<string | undefined> {
  return absentNote(client, Namespaces, name);
}

type AbsenceClient = Pick<ReadClient, 'get' | 'list'>;

/** Undefined for an object that exists, or that the caller may not read: who may bind a set may be unable to. @throws ApiError. */
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

/** `there is no Namespace shoop; did you mean shop?`, of an object that is known to be missing; `rest` follows its name. */
export async function absentObjectText(
  client: Pick<ReadClient, 'list'>,
  type: ResourceType,
  name: string,
  rest = '',
): Promise<string> {
  return `there is no ${type.kind} ${name}${rest}${await meantOf(client, type, name)}`;
}
