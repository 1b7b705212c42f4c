import type { Mistake } from './mistake.js';

/** How a decision is published, and what is remembered of it. */
export const PASS: readonly Mistake[] = [
  {
    name: 'what is published is forgotten after a write in doubt',
    file: 'operator/controllers/placement/apply.ts',
    from: 'state.published = publishedBy(changes, done);',
    to: 'state.published = undefined;',
    scenarios: 'placement/plain',
  },
  {
    name: 'what is missing is not confirmed by the API',
    file: 'operator/controllers/placement/apply.ts',
    from: 'const result = await confirm(input, decided, scope);',
    to: 'const result = undefined as Result | undefined;',
    scenarios: 'placement/plain',
  },
  {
    name: 'decisions are written before their hold is stored',
    file: 'operator/controllers/placement/apply.ts',
    from: 'return publish(await announceHolds(input, decided, scope), decided, scope);',
    to: 'return publish(input, decided, scope);',
    scenarios: 'timed/hold-and-additions',
  },
  {
    name: 'the status says what is decided, and not what is stored',
    file: 'domain/placement/report/status.ts',
    from: 'const slices = publishedAfter(publication.changes, publication.done);',
    to: 'const slices = publishedAfter(publication.changes);',
    scenarios: 'placement/plain',
  },
  {
    name: 'objects that grow are written before those that shrink',
    file: 'domain/placement/publish/writeorder.ts',
    from: 'Math.sign(a.growth) - Math.sign(b.growth)',
    to: 'Math.sign(b.growth) - Math.sign(a.growth)',
    scenarios: 'placement/replaced-group',
  },
  {
    name: 'what this process knows is kept when another one has led',
    file: 'operator/controllers/placement/controller.ts',
    from: 'for (const one of [states, triggers, mutations.placements, mutations.decisions, clusters])',
    to: 'for (const one of [triggers, clusters])',
    scenarios: 'timed/leader-returns',
  },
  {
    name: 'a new leader decides by a cache that is behind',
    file: 'operator/controllers/placement/apply.ts',
    from: '  if (isCounted(decision) && state.published === undefined && !(await isCurrent(input, scope))) return READ_AGAIN;\n',
    to: '',
    scenarios: 'timed/hold-handed-over',
  },
  {
    name: 'a Placement that was created again has the memory of the former',
    file: 'operator/controllers/placement/gather.ts',
    from: 'remembered?.uid === uid ? remembered : freshState(uid);',
    to: 'remembered ?? freshState(uid);',
    scenarios: 'placement/recreated',
  },
  {
    name: 'a write without an answer counts as not stored',
    file: 'operator/controllers/placement/apply.ts',
    from: "    if (!isFailure(error, 'Fenced', 'Guarded')) state.unconfirmed.add(name);\n",
    to: '',
    scenarios: 'timed/both-bounds',
  },
  {
    name: 'what others change during a pass wakes nobody',
    file: 'operator/controllers/placement/reconcile.ts',
    from: 'for (const affected of changeFilter.end(key)) enqueue(affected);',
    to: 'changeFilter.end(key);',
    scenarios: 'timed/changes-in-turn',
  },
  {
    name: 'what a failed write was to store counts as published',
    file: 'operator/controllers/placement/apply.ts',
    from: 'state.published = publishedBy(changes, done);',
    to: 'state.published = publishedBy(changes);',
    scenarios: 'placement/plain',
  },
  {
    name: 'the history of an object goes with it',
    file: 'domain/placement/publish/objectwrites.ts',
    from: 'return write === undefined ? writes : writes.toSpliced(first, 0, write);',
    to: 'return writes;',
    scenarios: 'placement/emptied-piece',
  },
];
