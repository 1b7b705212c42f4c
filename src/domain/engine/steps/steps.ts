import { byText } from '../../../runtime/vocabulary/names.js';
import type { KubeObject, ObjectName, ResourceType } from '../../../runtime/vocabulary/meta.js';
import { ADOPTED_ANNOTATION, REVISION_ANNOTATION } from '../../../api/names.js';
import { Deployments, Namespaces, NetworkPolicies } from '../../../runtime/vocabulary/kinds.js';
import { APPLY_ORDER } from '../catalogue.js';
import { desiredId, type DesiredObject, type EngineIdentity } from '../manifest/desired.js';
import { fixedField, isAdoptable, ownerOf, isOurNamespace, ownershipOf, wasAppliedByUs } from './ownership.js';
import type { Adoption, ComponentOff } from '../spec.js';
import { driftedFields } from './drift.js';
import { withAddedEgress } from '../manifest/networkpolicies.js';
import { idOf, finalizersOf, isTerminating } from '../manifest/manifest.js';
import type { ObjectState, ObjectStateName } from '../status/input.js';

/** An object as a cache holds it. */
export interface StoredObject {
  readonly type: ResourceType;
  readonly object: KubeObject;
}

/** The object of this type and name; undefined where there is none. */
export function storedObject(
  stored: readonly StoredObject[],
  type: ResourceType,
  name: ObjectName,
): KubeObject | undefined {
  const id = idOf(type, name);
  return stored.find((one) => one.type === type && idOf(type, one.object.metadata) === id)?.object;
}

export interface StepInput {
  readonly engine: EngineIdentity;
  readonly desired: readonly DesiredObject[];
  /** The cached objects that may be ours, in any order. */
  readonly stored: readonly StoredObject[];
  /** The target namespace; undefined when it does not exist, and with `--namespace`. */
  readonly namespace: KubeObject | undefined;
}

/**
 * What to do with one object.
 * - create: the cache has no object of ours with that name; the API server is read before the write.
 * - patch: ours, and not as desired.
 * - keep: ours, and as desired.
 * - delete: ours, and no longer desired.
 * - wait: another object has to be applied or deleted first.
 * - skip-foreign: the object belongs to somebody else and is never touched.
 */
export interface Step {
  readonly action: 'create' | 'patch' | 'keep' | 'delete' | 'wait' | 'skip-foreign';
  readonly type: ResourceType;
  readonly name: ObjectName;
  /** Why, for people. */
  readonly cause: string;
  /** Absent for an object that is no longer desired. */
  readonly desired?: DesiredObject;
  /** The object in the cache. */
  readonly stored?: KubeObject;
  /** patch: it was as desired, and somebody else has changed it. */
  readonly drift?: true;
  /** patch: nobody owned it, and the spec lets the engine take it over. */
  readonly adopts?: true;
}

type Stored = KubeObject | undefined;

const ADOPTION_CAUSE = 'had no owner';

/** The steps for what is desired, in the order of applying. Pure. */
export function desiredSteps(input: StepInput): readonly Step[] {
  const stored = new Map(input.stored.map((one) => [idOf(one.type, one.object.metadata), one.object]));
  return input.desired.flatMap((desired) => {
    const found = desired.type === Namespaces ? input.namespace : stored.get(desiredId(desired));
    return stepFor(desired, found, input) ?? [];
  });
}

/**
 * The step for one desired object after it was read from the API server. `fresh`: the object with its managed fields;
 * undefined when there is none. Returns undefined for a namespace that is left as it is.
 */
export function stepForRead(
  desired: DesiredObject,
  fresh: Stored,
  engine: EngineIdentity,
  adoption: Adoption,
): Step | undefined {
  const step = stepFor(desired, fresh, { engine, namespace: undefined });
  if (fresh === undefined || step?.action !== 'create') return step;
  if (isTerminating(fresh)) return { ...step, action: 'wait', cause: `is being deleted${finalizersOf(fresh)}` };
  if (wasAppliedByUs(fresh, engine))
    return { ...step, action: 'patch', drift: true, cause: 'has lost its controller reference' };
  const skip = (cause: string): Step => ({ ...step, action: 'skip-foreign', cause });
  const owner = isAdoptable(desired) ? ownerOf(fresh, engine) : 'was created by somebody else';
  if (owner !== undefined) return skip(`${owner} and is not changed; delete or rename it`);
  const fixed = fixedField(desired, fresh);
  const made = 'was created by somebody else and';
  if (fixed !== undefined)
    return skip(`${made} cannot be taken over: nobody can change its ${fixed}; delete or rename it`);
  if (adoption === 'IfUnowned') return { ...step, action: 'patch', adopts: true, cause: ADOPTION_CAUSE };
  const remedy = 'delete or rename it, or let the engine take it over (spec.adoption: IfUnowned)';
  return skip(`${made} is not changed; ${remedy}`);
}

type StepScope = Pick<StepInput, 'engine' | 'namespace'>;

/** Returns undefined for a namespace that is left as it is. */
function stepFor(desired: DesiredObject, stored: Stored, { engine, namespace }: StepScope): Step | undefined {
  const base = {
    type: desired.type,
    name: nameOf(desired.object),
    desired,
    ...(stored === undefined ? {} : { stored }),
  };
  const wait = (cause: string): Step => ({ ...base, action: 'wait', cause });
  if (stored === undefined) {
    if (namespace !== undefined && isTerminating(namespace) && desired.type.namespaced)
      return wait(`Namespace ${namespace.metadata.name} is being deleted`);
    if (desired.waitsFor !== undefined) return wait(`waits for ${desired.waitsFor}`);
    return { ...base, action: 'create', cause: 'does not exist' };
  }
  if (desired.type === Namespaces) {
    if (isTerminating(stored)) return wait('is being deleted');
    // A namespace that the operator did not make, or that somebody has taken over, is left as it is.
    return isOurNamespace(stored, engine) ? compared(base, desired, stored) : undefined;
  }
  const ownership = ownershipOf(stored, engine);
  if (ownership === 'foreign') return { ...base, action: 'skip-foreign', cause: foreignCause(stored) };
  if (ownership === 'unowned') return { ...base, action: 'create', cause: 'has no controller' };
  if (ownership === 'leftover') return wait(LEFTOVER_CAUSE);
  if (isTerminating(stored)) return wait(`is being deleted${finalizersOf(stored)}`);
  if (desired.waitsFor !== undefined) return wait(`waits for ${desired.waitsFor}`);
  return compared(base, desired, stored);
}

function compared(base: Omit<Step, 'action' | 'cause'>, desired: DesiredObject, stored: KubeObject): Step {
  const { type, object } = desired;
  const applied = type === NetworkPolicies ? withAddedEgress(object, stored) : object;
  const kept = withAdoption({ ...desired, object: applied }, stored);
  const step = { ...base, desired: kept };
  if (stored.metadata.annotations?.[ADOPTED_ANNOTATION] === '')
    return { ...step, action: 'patch', adopts: true, cause: ADOPTION_CAUSE };
  const fields = driftedFields(kept.object, stored);
  if (fields.length === 0) return { ...step, action: 'keep', cause: 'is as desired' };
  if (stored.metadata.annotations?.[REVISION_ANNOTATION] !== desired.revision) {
    return { ...step, action: 'patch', cause: 'the desired state has changed' };
  }
  return { ...step, action: 'patch', drift: true, cause: `differs at ${fieldList(fields)}` };
}

/** The steps for what is ours and no longer desired, in the order of removal. */
export function pruneSteps(input: StepInput): readonly Step[] {
  const wanted = new Set(input.desired.map(desiredId));
  const steps: Step[] = [];
  for (const { type, object } of input.stored) {
    if (wanted.has(idOf(type, object.metadata)) || ownershipOf(object, input.engine) !== 'ours') continue;
    const base = { type, name: nameOf(object), stored: object };
    const cause = isTerminating(object) ? `is being deleted${finalizersOf(object)}` : 'is no longer desired';
    steps.push({ ...base, action: isTerminating(object) ? 'wait' : 'delete', cause });
  }
  return steps.sort(removalOrder);
}

/** The order of removal: kinds in the reverse order of applying, then names. */
export function removalOrder(a: Pick<Step, 'type' | 'name'>, b: Pick<Step, 'type' | 'name'>): number {
  return (
    APPLY_ORDER.indexOf(b.type) - APPLY_ORDER.indexOf(a.type) || byText(idOf(a.type, a.name), idOf(b.type, b.name))
  );
}

export const LEFTOVER_CAUSE = 'belongs to an earlier engine of the same name and is about to be garbage collected';

/** Why an object is not ours, with its controller where it has one. */
function foreignCause(stored: KubeObject): string {
  const controller = (stored.metadata.ownerReferences ?? []).find((one) => one.controller === true);
  const owner =
    controller === undefined ? 'was created by somebody else' : `belongs to ${controller.kind} ${controller.name}`;
  return `${owner} and is not changed; delete or rename it`;
}

const FIELDS_SHOWN = 5;

function fieldList(fields: readonly string[]): string {
  const rest = fields.length - FIELDS_SHOWN;
  return fields.slice(0, FIELDS_SHOWN).join(', ') + (rest > 0 ? ` and ${rest} more` : '');
}

function nameOf({ metadata: { name, namespace } }: KubeObject): ObjectName {
  return namespace === undefined ? { name } : { namespace, name };
}

/** The states of the steps' objects while nothing may be written: as desired, or not and why. */
export function observeSteps(steps: readonly Step[]): readonly ObjectState[] {
  return steps.flatMap((step) => {
    if (step.desired === undefined) return [];
    if (step.action === 'keep') return [objectState(step, 'applied', '')];
    if (step.action === 'skip-foreign') return [objectState(step, 'foreign', step.cause)];
    return [objectState(step, step.stored === undefined ? 'missing' : 'drifted', step.cause)];
  });
}

/** The state of an object that its step does not write. */
export function unwrittenState(step: Step): ObjectState {
  const state: ObjectStateName =
    step.action === 'keep' ? 'applied' : step.action === 'skip-foreign' ? 'foreign' : 'waiting';
  return objectState(step, state, state === 'applied' ? '' : step.cause);
}

export function objectState(step: Step, state: ObjectStateName, message: string, object = step.stored): ObjectState {
  const component = step.desired?.component ?? '';
  return { type: step.type, name: step.name, component, state, message, ...(object === undefined ? {} : { object }) };
}

/** The desired object with the time at which the engine has taken the stored one over. */
function withAdoption(desired: DesiredObject, stored: KubeObject): DesiredObject {
  const at = stored.metadata.annotations?.[ADOPTED_ANNOTATION];
  return at === undefined ? desired : adopted(desired, at);
}

/** The object with the annotation that it was adopted. `at`: when, RFC 3339; empty while the old spec is not removed yet. */
export function adopted(desired: DesiredObject, at: string): DesiredObject {
  const { metadata } = desired.object;
  const annotations = { ...metadata.annotations, [ADOPTED_ANNOTATION]: at };
  return { ...desired, object: { ...desired.object, metadata: { ...metadata, annotations } } };
}

/**
 * One state for each component that is off: `off` once its Deployment is gone, or is not ours. During a pause, which delays
 * the removal, the state is `drifted`. Otherwise the steps before have deleted it: `waiting` while finalizers keep it.
 */
export function turnedOffStates(
  components: readonly ComponentOff[],
  {
    engine,
    stored,
    namespace,
    paused,
  }: Pick<StepInput, 'engine' | 'stored'> & { readonly namespace: string; readonly paused: boolean },
): readonly ObjectState[] {
  return components.map(({ name, cause, meaning }) => {
    const base = { type: Deployments, name: { namespace, name }, component: name };
    const object = storedObject(stored, base.type, base.name);
    const isOurs = object !== undefined && ownershipOf(object, engine) === 'ours';
    if (!isOurs || (!paused && !isTerminating(object))) return { ...base, state: 'off', message: meaning };
    if (paused) return { ...base, object, state: 'drifted', message: `${cause}; the pause delays its removal` };
    return { ...base, object, state: 'waiting', message: `${cause}; it is being removed${finalizersOf(object)}` };
  });
}
