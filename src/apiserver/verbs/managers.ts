import type { KubeObject } from '../object.js';
import type { Context } from './context.js';
import type { WriteOptions } from './options.js';
import type { Caller, Target } from './verbs.js';

interface Write {
  readonly target: Target;
  readonly options: WriteOptions;
  readonly caller: Caller;
}

/** The next state with managedFields that tell who owns which of its fields. */
export function tracked(_context: Context, _write: Write, _live: KubeObject | undefined, next: KubeObject): KubeObject {
  return next;
}
