import { apiVersionOf } from '../../apiversion.js';
import type { Timer } from '../../clock.js';
import { structOf } from '@multicluster-engine/values/schema/builtin';
import { isObject } from '@multicluster-engine/values/json';
import type { KubeObject } from '@multicluster-engine/values/object';
import { canonical } from '@multicluster-engine/values/schema/struct/canonical';
import { StatusError, expired, methodNotAllowed, unknownError } from '../../status.js';
import { Compacted } from '../../store/store.js';
import type { Change } from '../../store/store.js';
import { ResourceVersionTooLarge, revisionAvailable } from '../list/revisionwait.js';
import { served } from '../context.js';
import type { Context } from '../context.js';
import { listOptions } from '../list/listoptions.js';
import type { ListOptions } from '../list/listoptions.js';
import { withMeta } from '@multicluster-engine/values/object';
import { revisionOf } from '../read.js';
import { covers, selected, selectionOf } from '../list/selection.js';
import { subresourceOf } from '../../resource.js';
import type { Selection } from '../list/selection.js';
import { EventStream } from './eventstream.js';
import { allows } from '../update.js';
import type { Caller, Query, Target, WatchEvent } from '../verbs.js';

/** A watch without timeoutSeconds ends after 30 to 60 minutes, so that clients spread over restarted servers. */
const SHORTEST_MS = 30 * 60_000;
const BOOKMARK_MS = 60_000;
/** Time between the last bookmark and the end. */
const LAST_BOOKMARK_MS = 2_000;

/**
 * WATCH of a collection or of a part of it. Throws errors of the request; an error of its resourceVersion is an ERROR
 * event.
 */
export function watch(
  context: Context,
  target: Target,
  request: { readonly query: Query; readonly caller: Caller },
): AsyncIterable<WatchEvent> {
  const { query, caller } = request;
  if (!allows(target, 'watch')) throw methodNotAllowed(target.resource, 'watch');
  const options = listOptions(query, 'watch');
  const selection = selectionOf(target, query, options);
  const from = revisionOf(options.resourceVersion, (why) => unknownError(`resourceVersion: Invalid value: ${why}`));
  if (durationOf(options) < 0) return noEvents();
  const plan = { selection, options, from, signal: caller.signal };
  try {
    return new Watch(context, plan).stream;
  } catch (error) {
    if (error instanceof ResourceVersionTooLarge && error.isAwaited) return watchWhenAvailable(context, plan);
    if (!(error instanceof StatusError)) throw error;
    return errorEvent(error);
  }
}

/** Duration of a watch in ms; 0 where it is not set. Overflows of 64-bit nanoseconds wrap around, as in Go. */
function durationOf({ timeoutSeconds = 0 }: ListOptions): number {
  return Number(BigInt.asIntN(64, BigInt(timeoutSeconds) * 1_000_000_000n)) / 1_000_000;
}

/** A watch whose time is over at the start. */
async function* noEvents(): AsyncGenerator<WatchEvent> {
  yield* await Promise.resolve([]);
}

/** A watch from a revision that does not exist yet: waits for it. */
async function* watchWhenAvailable(context: Context, plan: Plan): AsyncGenerator<WatchEvent> {
  await revisionAvailable(context, plan.from);
  try {
    yield* new Watch(context, plan).stream;
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    yield* errorEvent(error);
  }
}

async function* errorEvent(error: StatusError): AsyncGenerator<WatchEvent> {
  yield await Promise.resolve({ type: 'ERROR', object: error.toStatus() } as const);
}

interface Plan {
  readonly selection: Selection;
  readonly options: ListOptions;
  /** 0 where the request has no resourceVersion. */
  readonly from: number;
  readonly signal: AbortSignal;
}

/** A running watch: ends with its signal, its timeout, its reader or its resource. */
class Watch {
  readonly stream: EventStream;
  readonly #context: Context;
  readonly #plan: Plan;
  readonly #endings: (() => void)[] = [];
  readonly #deadline: number;
  #bookmark: Timer | undefined;

  constructor(context: Context, plan: Plan) {
    this.#context = context;
    this.#plan = plan;
    const { store, clock, random } = context;
    const { options, from } = plan;
    const initial = options.initialEvents === true;
    if (initial && from > store.revision)
      throw new ResourceVersionTooLarge(from, store.revision, {
        collection: plan.selection.target.resource.collection,
        watch: true,
      });
    const after = initial || from === 0 ? store.revision : from;
    const length = durationOf(options) || SHORTEST_MS * (1 + random());
    this.#deadline = clock.monotonic() + length;
    this.stream = new EventStream(initial ? this.#initial(after) : [], () => {
      for (const ending of this.#endings) ending();
    });
    this.#subscribe(after);
    this.#arm(length);
  }

  /** The state of `revision`, read lazily, from a list that is fixed now. */
  #initial(revision: number): Iterable<WatchEvent> {
    const {
      selection,
      options: { bookmarks },
    } = this.#plan;
    const {
      target: { resource },
      prefix,
    } = selection;
    const entries = this.#context.store.list(resource.collection, prefix);
    const end = bookmarks ? [bookmark(selection, revision, true)] : [];
    return (function* events(): Generator<WatchEvent> {
      for (const entry of entries) {
        const object = covers(selection, entry.key) ? selected(selection, entry) : undefined;
        if (object !== undefined) yield { type: 'ADDED', object };
      }
      yield* end;
    })();
  }

  #subscribe(after: number): void {
    const { store, registry } = this.#context;
    const { selection, signal, from } = this.#plan;
    const { resource } = selection.target;
    try {
      const subscription = store.watch(resource.collection, Math.min(after, store.revision), (change) => {
        if (change.revision > from) this.#deliver(change);
      });
      this.#endings.push(() => subscription.end());
    } catch (error) {
      if (error instanceof Compacted) throw expired(`too old resource version: ${after} (${error.oldest})`);
      throw error;
    }
    const registration = registry.onChange(() => {
      if (registry.find(resource.group, resource.version, resource.plural)?.schema !== resource.schema)
        this.stream.end();
    });
    const abort = (): void => this.stream.abort();
    signal.addEventListener('abort', abort, { once: true });
    this.#endings.push(
      () => registration.end(),
      () => signal.removeEventListener('abort', abort),
    );
    if (signal.aborted) abort();
  }

  #arm(length: number): void {
    const { clock } = this.#context;
    const timer = clock.after(length, () => this.stream.end());
    this.#endings.push(
      () => timer.cancel(),
      () => this.#bookmark?.cancel(),
    );
    if (this.#plan.options.bookmarks) this.#armBookmark();
    if (this.stream.ended) for (const ending of this.#endings) ending();
  }

  #armBookmark(): void {
    const { clock, store } = this.#context;
    const left = this.#deadline - clock.monotonic() - LAST_BOOKMARK_MS;
    if (left <= 0) return;
    this.#bookmark = clock.after(Math.min(BOOKMARK_MS, left), () => {
      this.stream.push(bookmark(this.#plan.selection, store.revision, false));
      this.#armBookmark();
    });
  }

  #deliver(change: Change): void {
    const { selection } = this.#plan;
    if (!covers(selection, change.entry.key)) return;
    const event = eventOf(selection, change);
    if (event !== undefined) this.stream.push(event, change.entry.bytes.length);
  }
}

/** The event for a selection: objects enter and leave it as their labels and fields change. */
function eventOf(selection: Selection, { type, entry, previous, revision }: Change): WatchEvent | undefined {
  const { resource } = selection.target;
  const before = previous === undefined ? undefined : selected(selection, previous);
  if (type === 'remove') {
    return before === undefined ? undefined : { type: 'DELETED', object: served(resource, entry.object) };
  }
  const now = selected(selection, entry);
  if (now !== undefined) return { type: before === undefined ? 'ADDED' : 'MODIFIED', object: now };
  return before === undefined
    ? undefined
    : { type: 'DELETED', object: withMeta(before, { resourceVersion: String(revision) }) };
}

const INITIAL_END = { annotations: { 'k8s.io/initial-events-end': 'true' } };

/** An object of the kind with nothing but its resourceVersion, as Go writes an empty struct. */
function bookmark({ target: { resource } }: Selection, revision: number, end: boolean): WatchEvent {
  const metadata = { resourceVersion: String(revision), ...(end ? INITIAL_END : {}) };
  const object: KubeObject = { kind: resource.kind, apiVersion: apiVersionOf(resource), metadata };
  const definition = structOf(resource.schema);
  if (definition === undefined) return { type: 'BOOKMARK', object };
  const empty = canonical(definition, object);
  const counts = resource.group === 'apps' && subresourceOf(resource, 'scale') !== undefined;
  // In the internal version of a workload, replicas is a number that is always present.
  return {
    type: 'BOOKMARK',
    object: counts && isObject(empty.spec) ? { ...empty, spec: { replicas: 0, ...empty.spec } } : empty,
  };
}
