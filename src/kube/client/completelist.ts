import type { KubeObject } from '../../api/meta.js';
import { keyOf } from '../../api/resources.js';
import { pagesOf } from './pages.js';
import type { Collection } from './path.js';
import type { Transport } from '../transport/transport.js';

/** Handed over to the event loop after so many objects, so that a long list does not hold up everything else. */
export const YIELD_EVERY = 200;

export interface CompleteList<T extends KubeObject> {
  readonly objects: ReadonlyMap<string, T>;
  readonly resourceVersion: string;
}

export interface ListingOptions<T extends KubeObject> {
  readonly signal: AbortSignal;
  readonly pageSize?: number | undefined;
  /** Makes an object fit for the store. */
  readonly prepare: (object: T) => T;
}

/** Resolves after what else is ready in the event loop has had its turn. */
export function yieldToEventLoop(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Reads a whole collection, page by page, each page sent for once. Throws ApiError, or the signal's reason. */
export async function readCompleteList<T extends KubeObject>(
  transport: Transport,
  collection: Collection,
  options: ListingOptions<T>,
): Promise<CompleteList<T>> {
  const { signal, pageSize, prepare } = options;
  const objects = new Map<string, T>();
  let resourceVersion = '';
  for await (const page of pagesOf<T>(transport, collection, {
    signal,
    attempts: 1,
    ...(pageSize === undefined ? {} : { pageSize }),
  })) {
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

/** The resourceVersion that the server is at, at the price of at most one object. */
export async function currentResourceVersion(
  transport: Transport,
  collection: Collection,
  signal: AbortSignal,
): Promise<string> {
  const pages = pagesOf(transport, { ...collection, metadataOnly: true }, { signal, attempts: 1, pageSize: 1 });
  for await (const page of pages) return page.resourceVersion;
  return '';
}
