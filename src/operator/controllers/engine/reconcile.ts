import { DONE, type Pass, type Reconciler, type Result } from '../../../runtime/controller/result.js';
import { apply } from './apply.js';
import { decide } from './decide.js';
import { gather, type Input } from './gather.js';
import { report } from './report.js';
import { type EngineContext, type Scope, EngineMemory } from './scope.js';

/**
 * One engine, one pass: gather, decide, apply, report.
 *
 * Guarantees: a pass that finds everything as desired writes nothing. Every write can be repeated: a pass that was
 * interrupted between any two of them is completed by the next one. Nothing is decided while a cache that gates the
 * start is not synced.
 */
export class EngineReconciler implements Reconciler {
  readonly #context: EngineContext;
  readonly #memories = new Map<string, EngineMemory>();

  constructor(context: EngineContext) {
    this.#context = context;
  }

  async reconcile(key: string, pass: Pass): Promise<Result> {
    const gathered = gather(key, this.#context);
    if (gathered.kind === 'gone') return this.#forget(key);
    if (gathered.kind === 'notCurrent') return gathered.result;

    const { input } = gathered;
    const scope = this.#scopeOf(input, pass);
    const outcome = await apply(input, decide(input, scope), scope);
    await report(outcome, scope);
    return outcome.result;
  }

  #scopeOf({ identity }: Input, pass: Pass): Scope {
    const { name, uid } = identity;
    let memory = this.#memories.get(name);
    // An engine that was deleted and created again under the same name is another engine.
    if (memory === undefined || memory.uid !== uid) memory = new EngineMemory(uid, this.#context.clock);
    this.#memories.set(name, memory);
    return { ...this.#context, pass, memory };
  }

  #forget(key: string): Result {
    this.#memories.delete(key);
    this.#context.targets.close(key);
    return DONE;
  }
}
