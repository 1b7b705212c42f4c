import type { Mistake } from './mistake.js';

/** What all controllers stand on. */
export const RUNTIME: readonly Mistake[] = [
  {
    name: 'the Lease is not asked before a write',
    file: 'runtime/client/guard.ts',
    from: "if (tools.leadership?.held() === false) throw notSent(write, 'Fenced', 'the lease is not held', tools);",
    to: '',
    scenarios: 'timed/replicas',
  },
  {
    name: 'a Lease is held until a timer says that it is not',
    file: 'runtime/leaderelection/leaseholder.ts',
    from: 'return !this.lost.aborted && this.#remainingMs() > 0;',
    to: 'return !this.lost.aborted;',
    scenarios: 'timed/replicas',
  },
  {
    name: 'a candidate takes the Lease after the time between two renewals',
    file: 'runtime/leaderelection/leaderelector.ts',
    from: 'this.#observed.msUntilFree(identity, times.duration);',
    to: 'this.#observed.msUntilFree(identity, times.retryPeriod) - times.duration + times.retryPeriod;',
    scenarios: 'timed/replicas',
  },
  {
    name: 'a key that is added while it runs is not run again',
    file: 'runtime/controller/workqueue.ts',
    from: "if (entry.state === 'queued' || entry.state === 'dirty') return;",
    to: "if (entry.state !== 'idle') return;",
    scenarios: 'timed/changes-in-turn',
  },
  {
    name: 'a later request for a key takes the place of an earlier one',
    file: 'runtime/controller/workqueue.ts',
    from: '      if (entry.timerDue <= timer.due) return;\n',
    to: '',
    scenarios: 'timed/change-window',
  },
  {
    name: 'a conflict ends a reconcile for good',
    file: 'runtime/controller/controller.ts',
    from: 'const retryInMs = Math.ceil(queue.retry(key, atLeastMs));',
    to: "const retryInMs = isFailure(error, 'Conflict') ? 0 : Math.ceil(queue.retry(key, atLeastMs));",
    scenarios: 'placement/plain',
  },
  {
    name: 'a watch that is too old is resumed where it was',
    file: 'runtime/cache/reflector.ts',
    from: "if (refused || unreadable || kind === 'Gone') this.#versions.requireList();",
    to: 'if (refused || unreadable) this.#versions.requireList();',
    scenarios: 'placement/plain',
  },
  {
    name: 'what went while a watch was gone stays in the cache',
    file: 'runtime/cache/store.ts',
    from: 'const change = objects.has(key) ? undefined : this.remove(key);',
    to: 'const change = objects.has(key) || objects.size > 0 ? undefined : this.remove(key);',
    scenarios: 'timed/changes-in-turn',
  },
  {
    name: 'an event that comes before the answer to its write counts as a change by others',
    file: 'runtime/controller/mutationcache.ts',
    from: 'if (reconciling === undefined) return observe();',
    to: 'return observe();',
    scenarios: 'placement/plain',
    isRecorded: true,
  },
  {
    name: 'the Retry-After of an answer does not bind the next request',
    file: 'runtime/transport/transport.ts',
    from: 'for (let left = retryAfterMs(); left > 0; left = retryAfterMs()) {',
    to: 'for (let left = 0; left > 0; left = retryAfterMs()) {',
    scenarios: 'agents/join',
  },
  {
    name: 'a pass that waits resets the backoff',
    file: 'runtime/controller/controller.ts',
    from: "if (ended.ending !== 'wait') queue.forget(key);",
    to: 'queue.forget(key);',
    scenarios: 'agents/silence',
  },
];
