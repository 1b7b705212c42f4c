import type { KubeObject } from '@multicluster-engine/values/object';
import type { Entry } from '../../store/store.js';
import { served } from '../context.js';
import { exactMatch, matchesFields, parseFieldSelector } from '../../selectors/fields.js';
import type { ListOptions } from './listoptions.js';
import { matchesLabels } from '../../selectors/labels.js';
import { checkStorageKey } from '../storagekey.js';
import type { Query, Target } from '../verbs.js';
import { badRequest } from '../../status.js';

/** The objects of a collection that a list or a watch covers. */
export interface Selection {
  readonly target: Target;
  /** Prefix of their keys. */
  readonly prefix: string;
  /** The only key that can match, where the selectors name it. */
  readonly key: string | undefined;
  /** Whether there are no selectors. */
  readonly everything: boolean;
  /** Matches labels and fields of the object as it is served. */
  readonly matches: (object: KubeObject) => boolean;
}

/** Throws 400 for invalid field selectors, or a field that the resource does not support. */
export function selectionOf(target: Target, query: Query, { labels }: Pick<ListOptions, 'labels'>): Selection {
  const { resource } = target;
  const fields = parseFieldSelector(query.fieldSelector, resource);
  const name = exactMatch(fields, 'metadata.name');
  if (target.name !== '' && fields.length > 0 && name !== target.name) {
    throw badRequest("fieldSelector metadata.name doesn't match requested name");
  }
  const namespace =
    target.namespace === '' && resource.namespaced
      ? (exactMatch(fields, 'metadata.namespace') ?? '')
      : target.namespace;
  const prefix = namespace === '' ? '' : `${namespace}/`;
  const only = target.name === '' ? name : target.name;
  checkStorageKey(target, only ?? '');
  const everything = labels.length === 0 && fields.length === 0 && target.name === '';
  return {
    target,
    prefix,
    key: only !== undefined && (!resource.namespaced || namespace !== '') ? prefix + only : undefined,
    everything,
    matches: (object) =>
      everything ||
      ((target.name === '' || object.metadata.name === target.name) &&
        matchesLabels(labels, object.metadata.labels) &&
        matchesFields(fields, resource, object)),
  };
}

/** Whether a key belongs to the selection, regardless of labels and fields. */
export function covers({ prefix, key }: Selection, candidate: string): boolean {
  return key === undefined ? candidate.startsWith(prefix) : candidate === key;
}

/** The served object of an entry; undefined where it does not match. */
export function selected(selection: Selection, entry: Entry): KubeObject | undefined {
  const object = served(selection.target.resource, entry.object);
  return selection.matches(object) ? object : undefined;
}
