import type { KubeObject } from '../vocabulary/meta.js';
import { ApiError, type FailedCall } from '../errors.js';
import type { Bucket } from '../transport/call.js';
import { malformed } from '../transport/apierror.js';
import { field, textField } from '../vocabulary/json.js';
import { objectOf } from './object.js';
import { acceptOf, collectionPath, resourceOf, selectorsOf, type Collection } from './path.js';
import type { Transport } from '../transport/transport.js';
import { keyOf } from '../vocabulary/names.js';
import { yieldToEventLoop } from '../clock.js';

const PAGE_SIZE = 500;

interface PageOptions {
  readonly signal?: AbortSignal | undefined;
  readonly bucket?: Bucket | undefined;
  readonly deadlineMs?: number | undefined;
  /** Attempts for each page; default that of the transport. */
  readonly attempts?: number;
  readonly pageSize?: number | undefined;
}

interface Page<T extends KubeObject> {
  readonly items: T[];
  /** The version of the whole list, the same on every page. */
  readonly resourceVersion: string;
}

/** What errors say about a list or watch. */
export function collectionCall(verb: 'list' | 'watch', collection: Collection): FailedCall {
  const { type, namespace } = collection;
  return { verb, resource: resourceOf(type), ...(namespace === undefined ? {} : { namespace }) };
}

/**
 * The pages of a consistent list, each requested when the caller asks for it.
 * @throws ApiError; Gone when the continue token has expired: the list has to be started again.
 */
export async function* pagesOf<T extends KubeObject>(
  transport: Pick<Transport, 'call'>,
  collection: Collection,
  options: PageOptions,
): AsyncGenerator<Page<T>> {
  const call = collectionCall('list', collection);
  let token = '';
  let resourceVersion = '';
  do {
    const response = await transport.call({
      method: 'GET',
      path: collectionPath(collection.type, collection.namespace),
      query: {
        ...selectorsOf(collection),
        limit: String(options.pageSize ?? PAGE_SIZE),
        ...(token === '' ? {} : { continue: token }),
      },
      target: call,
      accept: acceptOf(collection.metadataOnly, true),
      idempotent: true,
      ...options,
    });
    const page = pageOf<T>(response.body, collection, call);
    if (token !== '' && page.resourceVersion !== resourceVersion) throw inconsistentPages(call);
    if (page.next !== '' && page.next === token) throw malformed(call, 'the same continue token twice');
    ({ next: token, resourceVersion } = page);
    yield page;
  } while (token !== '');
}

function pageOf<T extends KubeObject>(
  body: unknown,
  collection: Collection,
  call: FailedCall,
): Page<T> & { next: string } {
  const { type } = collection;
  const kind = textField(body, 'kind');
  if (kind !== `${type.kind}List` && kind !== 'PartialObjectMetadataList')
    throw malformed(call, `kind "${kind}" where ${type.kind}List was expected`);
  const metadata = field(body, 'metadata');
  const resourceVersion = textField(metadata, 'resourceVersion');
  if (resourceVersion === '') throw malformed(call, 'a list without metadata.resourceVersion');
  const items = field(body, 'items');
  // A nil slice in Go is encoded as null; a missing field is an error.
  if (items !== null && !Array.isArray(items)) throw malformed(call, 'a list without items');
  const objects = (items ?? []).map((item: unknown) => objectOf<T>(item, collection, call));
  return { items: objects, resourceVersion, next: textField(metadata, 'continue') };
}

/** Pages of different resourceVersions: together they could miss an object or contain it twice. */
function inconsistentPages(call: FailedCall): ApiError {
  return new ApiError({ kind: 'Gone', message: 'list: its pages have different resourceVersions', call, status: 410 });
}

/** After this many objects the event loop runs other work, so that a long list does not block the process. */
export const YIELD_EVERY = 50;
/** Objects in one page: a page is parsed in one piece, and the event loop waits for it. */
const CACHE_PAGE_SIZE = 100;

export interface CompleteList<T extends KubeObject> {
  readonly objects: ReadonlyMap<string, T>;
  readonly resourceVersion: string;
}

interface ListingOptions<T extends KubeObject> {
  readonly signal: AbortSignal;
  readonly pageSize?: number | undefined;
  /** Applied to each object. */
  readonly prepare: (object: T) => T;
}

/** Lists a whole collection in pages, with one attempt for each page. Throws ApiError, or the signal's reason. */
export async function readCompleteList<T extends KubeObject>(
  transport: Pick<Transport, 'call'>,
  collection: Collection,
  options: ListingOptions<T>,
): Promise<CompleteList<T>> {
  const { signal, pageSize = CACHE_PAGE_SIZE, prepare } = options;
  const objects = new Map<string, T>();
  let resourceVersion = '';
  for await (const page of pagesOf<T>(transport, collection, { signal, attempts: 1, pageSize })) {
    signal.throwIfAborted();
    resourceVersion = page.resourceVersion;
    for (const item of page.items) {
      objects.set(keyOf(item.metadata), prepare(item));
      if (objects.size % YIELD_EVERY === 0) await yieldToEventLoop();
    }
  }
  signal.throwIfAborted();
  return { objects, resourceVersion };
}

/** The current resourceVersion of the collection, from a list of at most one object. */
export async function currentResourceVersion(
  transport: Pick<Transport, 'call'>,
  collection: Collection,
  signal: AbortSignal,
): Promise<string> {
  const pages = pagesOf(transport, { ...collection, metadataOnly: true }, { signal, attempts: 1, pageSize: 1 });
  for await (const page of pages) return page.resourceVersion;
  return '';
}
