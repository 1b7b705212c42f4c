import type { KubeObject } from '../../../../runtime/vocabulary/meta.js';
import { ENGINE_LABEL } from '../../../../api/names.js';
import { ClusterRoleBindings, Namespaces } from '../../../../runtime/vocabulary/kinds.js';
import { BINDINGS, CERTIFICATE_OBJECTS, targetTypes } from '../../../../domain/engine/catalogue.js';
import {
  titleOf,
  isTerminating,
  namespaceBlockers,
  enumerate,
  finalizersOf,
} from '../../../../domain/engine/manifest/manifest.js';
import { ownershipOf, wasAppliedByUs } from '../../../../domain/engine/steps/ownership.js';
import { desiredSteps, removalOrder, type StoredObject } from '../../../../domain/engine/steps/steps.js';
import type { ObjectState, UninstallProgress } from '../../../../domain/engine/status/input.js';
import { isFailure } from '../../../../runtime/errors.js';
import type { UninstallDecision } from '../decide.js';
import type { Input } from '../gather.js';
import { applySteps } from '../applysteps.js';
import { classifyForbidden, type AttemptedCall } from '../failure.js';
import type { Scope } from '../scope.js';

export interface Remaining {
  readonly kind: 'read';
  /** The target namespace; undefined where it does not exist, and with `--namespace`. */
  readonly namespace: KubeObject | undefined;
  /** The engine's objects in the order of removal. */
  readonly objects: readonly StoredObject[];
}

type Listed = { readonly kind: 'listed'; readonly objects: readonly StoredObject[] } | UninstallResult;

/** Reads the engine's objects from the API server; or returns why they cannot be read now. */
export async function readRemaining(
  decision: UninstallDecision,
  input: Input,
  scope: Scope,
): Promise<Remaining | UninstallResult> {
  const { identity } = input;
  const { client, pass, settings } = scope;
  const objects: StoredObject[] = [];
  const isRestricted = settings.onlyNamespace !== undefined;
  let namespace: KubeObject | undefined;
  if (!isRestricted) {
    objects.push(...(await readOuterBindings(scope)));
    const { namespace: name } = decision;
    if (name !== undefined) namespace = await client.get<KubeObject>(Namespaces, { name }, { signal: pass.signal });
    if (namespace !== undefined && isTerminating(namespace)) return waitForNamespace(namespace, objects);
  }
  if (decision.namespace !== undefined && (isRestricted || namespace !== undefined)) {
    const listed = await listNamespace(decision.namespace, decision, input, scope);
    if (listed.kind !== 'listed') return listed;
    objects.push(...listed.objects);
  }
  const ours = objects
    .filter(({ object }) => ownershipOf(object, identity) === 'ours' || wasAppliedByUs(object, identity))
    .sort((a, b) => removalOrder({ type: a.type, name: a.object.metadata }, { type: b.type, name: b.object.metadata }));
  return { kind: 'read', namespace, objects: ours };
}

/** The bindings outside the target namespace. */
async function readOuterBindings({ client, pass }: Scope): Promise<readonly StoredObject[]> {
  const found: StoredObject[] = [];
  for (const { type, name, namespace } of BINDINGS) {
    if (type !== ClusterRoleBindings && namespace === undefined) continue;
    const address = namespace === undefined ? { name } : { namespace, name };
    const object = await client.get<KubeObject>(type, address, { signal: pass.signal, metadataOnly: true });
    if (object !== undefined) found.push({ type, object });
  }
  return found;
}

/** The objects with the engine's label, and those of serving certificates by name. */
async function listNamespace(
  namespace: string,
  decision: UninstallDecision,
  input: Input,
  scope: Scope,
): Promise<Listed> {
  const { client, pass, templates } = scope;
  const binding = await ensureInstallerBinding(decision, input, scope);
  const bindingProblem = binding && `${titleOf(binding.type, binding.name)}: ${binding.message}`;
  // An existing binding may give the right whoever made it.
  if (binding !== undefined && bindingProblem !== undefined && binding.object === undefined)
    return obstructed({ kind: binding.state, message: bindingProblem });
  const options = { signal: pass.signal, metadataOnly: true };
  const labelSelector = `${ENGINE_LABEL}=${input.identity.name}`;
  const found: StoredObject[] = [];
  let call: AttemptedCall | undefined;
  try {
    for (const type of targetTypes(templates)) {
      call = { type, name: { namespace, name: '' }, verbs: ['list'] };
      const objects = await client.list<KubeObject>(type, namespace, { ...options, labelSelector });
      found.push(...objects.map((object) => ({ type, object })));
    }
    for (const { type, name } of CERTIFICATE_OBJECTS) {
      call = { type, name: { namespace, name }, verbs: ['get'] };
      const object = await client.get<KubeObject>(type, { namespace, name }, options);
      if (object !== undefined) found.push({ type, object });
    }
  } catch (error) {
    if (call === undefined || !isFailure(error, 'Forbidden')) throw error;
    const { kind, message } = await classifyForbidden(error, call, scope);
    return obstructed({ kind, message: bindingProblem === undefined ? message : `${bindingProblem}; ${message}` });
  }
  return { kind: 'listed', objects: found };
}

/**
 * Applies the binding that gives the operator its rights in the namespace, and opens the caches there: they report when
 * an object is gone. Returns the state of a binding that is not as desired.
 */
async function ensureInstallerBinding(
  { bindings: desired }: UninstallDecision,
  input: Input,
  scope: Scope,
): Promise<ObjectState | undefined> {
  const { identity, namespace, namespaceObject, named, bindings: stored } = input;
  const steps = desiredSteps({ engine: identity, desired, stored, namespace: namespaceObject });
  const { objects } = await applySteps(steps, input, scope);
  const problem = objects.find((one) => one.state !== 'applied');
  if (problem === undefined || problem.object !== undefined) scope.targets.open(identity, namespace, named);
  return problem;
}

function waitForNamespace(namespace: KubeObject, bindings: readonly StoredObject[]): UninstallResult {
  const blocker = `${titleOf(Namespaces, namespace.metadata)} is being deleted${namespaceBlockers(namespace)}`;
  return waitsFor([{ type: Namespaces, object: namespace }, ...bindings], [blocker]);
}

/** How far an uninstall has come. `complete` was read from the API server, not from a cache. */
export type UninstallResult =
  | { readonly kind: 'inProgress'; readonly progress: UninstallProgress }
  | { readonly kind: 'complete'; readonly message: string; readonly namespaceKept: boolean };

/** The result while objects are left. `remaining`: these objects. `blockers`: what delays their deletion. */
export function waitsFor(remaining: readonly StoredObject[], blockers: readonly string[]): UninstallResult {
  const states = remaining.map(({ type, object }) => ({
    type,
    name: object.metadata,
    component: '',
    state: 'removing' as const,
    message: isTerminating(object) ? `is being deleted${finalizersOf(object)}` : 'will be removed next',
  }));
  const count = `${remaining.length} ${remaining.length === 1 ? 'object' : 'objects'} left`;
  return { kind: 'inProgress', progress: { remaining: states, message: `${count}; waiting: ${enumerate(blockers)}` } };
}

/** The objects that are left cannot be read or deleted. `cause.kind` denied: a right is missing. */
export function obstructed(cause: { readonly kind: string; readonly message: string }): UninstallResult {
  const { kind, message } = cause;
  return { kind: 'inProgress', progress: kind === 'denied' ? { message, denied: message } : { message } };
}
