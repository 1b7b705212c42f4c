import { CLEANUP_FINALIZER } from '../../../api/names.js';
import { RoleBindings } from '../../../runtime/vocabulary/kinds.js';
import { desiredObjects, type DesiredObject, type EngineSettings } from '../../../domain/engine/manifest/desired.js';
import type { Templates } from '../../../domain/engine/catalogue.js';
import { effectiveSpec } from '../../../domain/engine/spec.js';
import type { Input } from './gather.js';

/** What a pass does. */
export type Decision =
  /** The engine is being deleted and does not have our finalizer. */
  | { readonly kind: 'none' }
  /** The engine is being deleted, and paused. */
  | { readonly kind: 'pauseUninstall' }
  | UninstallDecision
  /** Paused: status is the only write. */
  | { readonly kind: 'observe'; readonly desired: readonly DesiredObject[] }
  /** Another engine is served, or the spec has field errors. */
  | { readonly kind: 'refuse' }
  | { readonly kind: 'install'; readonly desired: readonly DesiredObject[] };

export interface UninstallDecision {
  readonly kind: 'uninstall';
  /** Undefined: the engine was never installed. */
  readonly namespace: string | undefined;
  /** The binding that gives the operator its rights in the namespace; none with `--namespace`. */
  readonly bindings: readonly DesiredObject[];
}

/** Pure. Deletion first, then pause, then refusal, then the installation. */
export function decide(input: Input, config: { templates: Templates; settings: EngineSettings }): Decision {
  if (input.deleting) return decideDeletion(input, config.settings);
  const { identity, spec } = input;
  const desired = desiredObjects(identity, spec, config.templates, config.settings);
  if (input.paused) return { kind: 'observe', desired };
  return isServed(input) ? { kind: 'install', desired } : { kind: 'refuse' };
}

/** Whether this is the engine of the hub, with a spec that can be served. */
export function isServed(input: Pick<Input, 'anotherEngine' | 'fieldErrors'>): boolean {
  return input.anotherEngine === undefined && input.fieldErrors.length === 0;
}

function decideDeletion(input: Input, settings: EngineSettings): Decision {
  const { engine, identity, namespace } = input;
  if (engine.metadata.finalizers?.includes(CLEANUP_FINALIZER) !== true) return { kind: 'none' };
  if (input.paused) return { kind: 'pauseUninstall' };
  const neverInstalled = input.fieldErrors.length > 0 && (engine.status?.targetNamespace ?? '') === '';
  const spec = { ...effectiveSpec(undefined), targetNamespace: namespace };
  const bindings = desiredObjects(identity, spec, {}, settings).filter((one) => one.type === RoleBindings);
  return { kind: 'uninstall', namespace: neverInstalled ? undefined : namespace, bindings };
}
