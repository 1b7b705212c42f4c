import type { KubeObject } from '@multicluster-engine/values/object';
import { keyOf } from '../registry/reader.js';
import { badRequest, expired, methodNotAllowed, notFound, unknownError } from '../status.js';
import { goQuote } from '@multicluster-engine/values/text';
import { firstWhere } from '../store/memory/keyindex.js';
import { Compacted } from '../store/store.js';
import type { Entry } from '../store/store.js';
import { served } from './context.js';
import type { Context } from './context.js';
import { decodeContinue, encodeContinue, encodePosition } from './list/continue.js';
import type { Position } from './list/continue.js';
import { ResourceVersionTooLarge, readWhenAvailable } from './list/revisionwait.js';
import { listOptions } from './list/listoptions.js';
import type { ListOptions } from './list/listoptions.js';
import { checkStorageKey } from './storagekey.js';
import { selected, selectionOf } from './list/selection.js';
import type { Selection } from './list/selection.js';
import { allows } from './update.js';
import type { Listed, Query, Target } from './verbs.js';
import { viewOf } from './view.js';

const TOO_OLD = 'The resourceVersion for the provided list is too old.';
const TOKEN_TOO_OLD =
  'The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.';

/** GET of one object, or of a subresource that holds the whole object. */
export function get(context: Context, target: Target, query: Query): KubeObject | Promise<KubeObject> {
  return readWhenAvailable(context, () => getNow(context, target, query));
}

function getNow({ store }: Context, target: Target, query: Query): KubeObject {
  const { resource, namespace, name } = target;
  if (!allows(target, 'get')) throw methodNotAllowed(resource, 'get');
  const requested = revisionOf(query.resourceVersion ?? '', (why) =>
    unknownError(`resourceVersion: Invalid value: ${why}`),
  );
  if (requested > store.revision) throw new ResourceVersionTooLarge(requested, store.revision, resource);
  checkStorageKey(target, name);
  const entry = store.get(resource.collection, keyOf(namespace, name));
  if (entry === undefined) throw notFound(resource, name);
  const object = served(resource, entry.object);
  return viewOf(target)?.get(object) ?? object;
}

/** The revision of a request; '' and 0 are both 0. */
export function revisionOf(text: string, refuse: (why: string) => Error): number {
  if (text === '') return 0;
  if (!/^\d+$/.test(text))
    throw refuse(`${goQuote(text)}: strconv.ParseUint: parsing ${goQuote(text)}: invalid syntax`);
  const value = Number(text);
  if (value >= 2 ** 63 && BigInt(text) >= 2n ** 64n)
    throw refuse(`${goQuote(text)}: strconv.ParseUint: parsing ${goQuote(text)}: value out of range`);
  return value;
}

/** LIST of a collection or of a part of it. */
export function list(context: Context, target: Target, query: Query): Listed | Promise<Listed> {
  if (!allows(target, 'list')) throw methodNotAllowed(target.resource, 'list');
  const options = listOptions(query, 'list');
  const selection = selectionOf(target, query, options);
  return readWhenAvailable(context, () => page(context, selection, options));
}

interface State {
  readonly entries: readonly Entry[];
  /** Index of the first object that may be on the page. */
  readonly start: number;
  readonly revision: number;
}

/** One page of a list at one revision. */
export function page(context: Context, selection: Selection, options: ListOptions): Listed {
  const position = options.continue === '' ? undefined : positionOf(options);
  const state = position === undefined ? stateOf(context, selection, options) : stateAt(context, selection, position);
  const limit = position === undefined && options.resourceVersion === '0' ? 0 : options.limit;
  const items: KubeObject[] = [];
  let last: Entry | undefined;
  let at = state.start;
  for (; at < state.entries.length && (limit === 0 || items.length < limit); at += 1) {
    const entry = state.entries[at];
    const object = entry === undefined ? undefined : selected(selection, entry);
    if (object === undefined) continue;
    items.push(object);
    last = entry;
  }
  const remaining = state.entries.length - at;
  return { items, resourceVersion: String(state.revision), ...nextPage(selection, state, { count: remaining, last }) };
}

/** The entries after a page. */
interface Remaining {
  readonly count: number;
  /** The last entry on the page. */
  readonly last: Entry | undefined;
}

/** The start of the next page. Only a list without selectors has remainingItemCount. */
function nextPage(
  { target, prefix, everything }: Selection,
  { revision }: State,
  { count, last }: Remaining,
): Pick<Listed, 'continue' | 'remainingItemCount'> {
  if (count === 0 || last === undefined)
    return { continue: target.resource.custom ? '' : undefined, remainingItemCount: undefined };
  const remainingItemCount = everything ? count : undefined;
  return { continue: encodeContinue(revision, last.key.slice(prefix.length)), remainingItemCount };
}

function positionOf({ continue: token, resourceVersion }: ListOptions): Position {
  const position = decodeContinue(token);
  if (resourceVersion !== '' && resourceVersion !== '0')
    throw badRequest('specifying resource version is not allowed when using continue');
  return position;
}

function stateOf({ store }: Context, selection: Selection, { resourceVersion, match, limit }: ListOptions): State {
  const requested = revisionOf(resourceVersion, (why) =>
    badRequest(`invalid resource version: resourceVersion: Invalid value: ${why}`),
  );
  const {
    target: { resource },
    prefix,
    key,
  } = selection;
  if (requested > store.revision) throw new ResourceVersionTooLarge(requested, store.revision, resource);
  const exact = match === 'Exact' || (match === '' && limit > 0 && requested > 0 && key === undefined);
  if (!exact)
    return {
      entries:
        key === undefined ? store.list(resource.collection, prefix) : entryOf(store.get(resource.collection, key)),
      start: 0,
      revision: store.revision,
    };
  try {
    return {
      entries: entriesWithKey(selection, store.listAt(resource.collection, prefix, requested)),
      start: 0,
      revision: requested,
    };
  } catch (error) {
    if (error instanceof Compacted) throw expired(TOO_OLD);
    throw error;
  }
}

function entryOf(entry: Entry | undefined): readonly Entry[] {
  return entry === undefined ? [] : [entry];
}

function entriesWithKey({ key }: Selection, entries: readonly Entry[]): readonly Entry[] {
  return key === undefined ? entries : entries.filter((entry) => entry.key === key);
}

/** The entries of a list from the position of a continue token. */
function stateAt({ store }: Context, selection: Selection, position: Position): State {
  const {
    target: { resource },
    prefix,
  } = selection;
  const revision = position.revision < 0 ? store.revision : position.revision;
  if (revision > store.revision) throw new ResourceVersionTooLarge(revision, store.revision, resource);
  const start = prefix + position.start;
  try {
    const entries =
      position.revision < 0
        ? store.list(resource.collection, prefix)
        : store.listAt(resource.collection, prefix, revision);
    return { entries, start: firstWhere(entries, ({ key }) => key >= start), revision };
  } catch (error) {
    if (error instanceof Compacted)
      throw expired(TOKEN_TOO_OLD, { continue: encodePosition({ revision: -1, start: position.start }) });
    throw error;
  }
}
