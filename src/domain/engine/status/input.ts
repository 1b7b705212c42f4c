import type { MultiClusterEngine } from '../../../api/generated/multiclusterengine.js';
import type { KubeObject, ObjectName, ResourceType } from '../../../api/meta.js';
import { CATALOGUE } from '../catalogue.js';
import { deploymentHealth, type Health } from './health.js';
import { titleOf } from '../manifest/manifest.js';
import type { FieldError } from '../spec.js';

/**
 * What a pass found of one wanted object.
 * - applied: stored as wanted.
 * - waiting: something has to go first; nobody is at fault.
 * - failed: the server refused the write; it is tried again.
 * - denied: the operator lacks the right.
 * - foreign: somebody else's.
 * - drifted, missing: not as wanted, and the pause holds the repair back.
 * - removing: it goes, since the engine goes.
 */
export type ObjectStateName =
  | 'applied'
  | 'waiting'
  | 'failed'
  | 'denied'
  | 'foreign'
  | 'drifted'
  | 'missing'
  | 'removing';

export interface ObjectState {
  readonly type: ResourceType;
  readonly name: ObjectName;
  readonly component: string;
  readonly state: ObjectStateName;
  /** Why; empty for `applied`, unless it is `given`. */
  readonly message: string;
  /** The object as last seen, where it was. */
  readonly object?: KubeObject;
  /** Of a Deployment: how many replicas were wanted when all of them were last ready, where that is known. */
  readonly lastReadyReplicas?: number;
  /** Somebody else's, and taken as it is. */
  readonly given?: true;
  /** failed: in how many passes in a row. */
  readonly failures?: number;
}

/** How far an uninstall has come. */
export interface UninstallProgress {
  /** What is left of ours, in the order of removing: the rows of the status. Absent where nothing was looked at. */
  readonly remaining?: readonly ObjectState[];
  /** What it waits for or what happens to the namespace, for people. */
  readonly message: string;
  /** A missing right that stops it. */
  readonly denied?: string;
}

/** Everything that the status of an engine is derived from. */
export interface StatusInput {
  /** As stored, the status before this pass included. */
  readonly engine: MultiClusterEngine;
  /** The running operator's version. */
  readonly version: string;
  readonly targetNamespace: string;
  readonly paused: boolean;
  /** The engine that is served instead of this one. */
  readonly anotherEngine?: string | undefined;
  readonly fieldErrors?: readonly FieldError[] | undefined;
  /** A missing right that is not about one object: who may do what, and the binding that would cure it. */
  readonly denied?: string | undefined;
  /** Why the target namespace cannot be used now. */
  readonly terminating?: string | undefined;
  /** `namespace/name` of a pull secret that does not exist. */
  readonly missingPullSecret?: string | undefined;
  readonly uninstall?: UninstallProgress | undefined;
  /** One per wanted object; absent where nothing was decided. */
  readonly objects?: readonly ObjectState[] | undefined;
  /** `objects` does not speak of every wanted object: what is stored of the others stands. */
  readonly partial?: boolean;
  /** Why nothing was decided. */
  readonly undecided?: string | undefined;
}

/** A failing object makes an Error only when it failed in this many passes in a row. */
export const ERROR_AFTER_FAILURES = 3;

/** Health of the Deployments among the objects, by the rule of their component's row. */
export function healthOf(state: ObjectState): Health | undefined {
  if (state.type.kind !== 'Deployment') return undefined;
  const rule = CATALOGUE.find((row) => row.name === state.component)?.readiness ?? deploymentHealth;
  return rule(state.object, state.lastReadyReplicas);
}

/** `Deployment ns/name: message` of each, three at most. */
export function describeEach(objects: readonly ObjectState[], message: (one: ObjectState) => string): string {
  return enumerate(objects.map((one) => `${titleOf(one.type, one.name)}: ${message(one)}`));
}

const SHOWN = 3;

/** The first few, and how many more there are. */
export function enumerate(texts: readonly string[]): string {
  const rest = texts.length - SHOWN;
  return texts.slice(0, SHOWN).join('; ') + (rest > 0 ? `; and ${rest} more` : '');
}

export function hasFailedRepeatedly(state: ObjectState): boolean {
  return state.state === 'failed' && (state.failures ?? 0) >= ERROR_AFTER_FAILURES;
}
