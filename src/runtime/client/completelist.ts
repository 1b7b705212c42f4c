import type { KubeObject } from '../vocabulary/meta.js';
import { keyOf } from '../vocabulary/names.js';
import { yieldToEventLoop } from '../eventloop.js';
import { pagesOf } from './pages.js';
import type { Collection } from './path.js';
import type { Transport } from '../transport/transport.js';

/** After this many objects the event loop runs other work, so that a long list does not block the process. */
export const YIELD_EVERY = 50;
/** Objects in one page: a page is parsed in one piece, and the event loop waits for it. */
const PAGE_SIZE = 100;

export interface CompleteList<T extends KubeObject> {
  readonly objects: ReadonlyMap<string, T>;
  readonly resourceVersion: string;
}

export interface ListingOptions<T extends KubeObject> {
  readonly signal: AbortSignal;
  readonly pageSize?: number | undefined;
  /** Applied to each object. */
  readonly prepare: (object: T) => T;
}

/** Lists a whole collection in pages, with one attempt for each page. Throws ApiError, or the signal's reason. */
export async function readCompleteList<T extends KubeObject>(
  transport: Transport,
  collection: Collection,
  options: ListingOptions<T>,
): Promise<CompleteList<T>> {
  const { signal, pageSize = PAGE_SIZE, prepare } = options;
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
  transport: Transport,
  collection: Collection,
  signal: AbortSignal,
): Promise<string> {
  const pages = pagesOf(transport, { ...collection, metadataOnly: true }, { signal, attempts: 1, pageSize: 1 });
  for await (const page of pages) return page.resourceVersion;
  return '';
}
