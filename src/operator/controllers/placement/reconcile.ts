import { nameOf } from '../../../runtime/vocabulary/names.js';
import type { Pass, Reconciler, Result } from '../../../runtime/controller/result.js';
import { apply } from './apply.js';
import { decide } from './decide.js';
import { gather } from './gather.js';
import { report } from './report.js';
import type { PlacementContext, Scope } from './scope.js';

/** Reconciles one Placement. */
export class PlacementReconciler implements Reconciler {
  readonly #context: PlacementContext;

  constructor(context: PlacementContext) {
    this.#context = context;
  }

  async reconcile(key: string, pass: Pass): Promise<Result> {
    const { namespace = '', name } = nameOf(key);
    const scope: Scope = { ...this.#context, key, namespace, name, pass };
    const gathered = await gather(scope);
    if (gathered.kind === 'nothing') return gathered.result;
    const { input } = gathered;
    const decided = decide(input, scope);
    return whileWriting(scope, async () => {
      const outcome = await apply(input, decided, scope);
      return outcome.kind === 'nothing' ? outcome.result : report(outcome, scope);
    });
  }
}

/** Changes by others that are delivered while this pass writes request another one. */
async function whileWriting({ key, changeFilter, enqueue }: Scope, write: () => Promise<Result>): Promise<Result> {
  changeFilter.begin(key);
  try {
    return await write();
  } finally {
    for (const affected of changeFilter.end(key)) enqueue(affected);
  }
}
