import type { MultiClusterEngine } from '../../../api/generated/multiclusterengine.js';
import type { KubeObject, ObjectName, ResourceType } from '../../../runtime/vocabulary/meta.js';
import { enumerate, titleOf } from '../manifest/manifest.js';
import type { Problem } from '../../selectors.js';
import type { NetworkPolicySettings } from '../spec.js';
import type { MissingPolicies } from '../policies.js';

/**
 * The state of one desired object in a pass.
 * - applied: stored as desired.
 * - waiting: another object has to be applied or deleted first, or a delay has to pass.
 * - failed: the API server refused the write; it is retried.
 * - denied: the operator lacks the right.
 * - foreign: an object of that name belongs to somebody else.
 * - unusable: the user's own object, with which no component can serve.
 * - drifted, missing: not as desired, and the engine is paused.
 * - removing: the engine is being uninstalled.
 * - off: the Deployment of a component that spec.components turns off; it does not exist.
 */
export type ObjectStateName =
  | 'applied'
  | 'waiting'
  | 'failed'
  | 'denied'
  | 'foreign'
  | 'unusable'
  | 'drifted'
  | 'missing'
  | 'removing'
  | 'off';

export interface ObjectState {
  readonly type: ResourceType;
  readonly name: ObjectName;
  readonly component: string;
  readonly state: ObjectStateName;
  /** Why; empty when applied, unless `given`. */
  readonly message: string;
  /** The object as last read; absent where it does not exist. */
  readonly object?: KubeObject;
  /** For a Deployment: its spec.replicas when all of them were last ready; absent where that is not known. */
  readonly lastReadyReplicas?: number;
  /** The user's own object, which is used as it is; doubtful: the message says what may be wrong with it. */
  readonly given?: 'usable' | 'doubtful';
  /** failed: in how many passes in a row. */
  readonly failures?: number;
}

/** The admission policies that are not in force; or why that is not known. */
export type PolicyFindings =
  | ({ readonly kind: 'Known' } & MissingPolicies)
  | { readonly kind: 'Unknown'; readonly resource: string };

export interface UninstallProgress {
  /** The objects that are left, in the order of removal: the rows of the status. Absent where none was read. */
  readonly remaining?: readonly ObjectState[];
  /** What it waits for, or the result for the namespace. For people. */
  readonly message: string;
  /** A missing right that stops it. */
  readonly denied?: string;
}

/** Everything from which the status of an engine is derived. */
export interface StatusInput {
  /** As stored, with the status before this pass. */
  readonly engine: MultiClusterEngine;
  /** The running operator's version. */
  readonly version: string;
  readonly targetNamespace: string;
  readonly paused: boolean;
  /** The settings of the spec; the defaults where it is invalid. */
  readonly networkPolicies?: NetworkPolicySettings;
  /** Absent while the policies are being read. */
  readonly policies?: PolicyFindings | undefined;
  /** The name of the engine that is served instead of this one. */
  readonly anotherEngine?: string | undefined;
  readonly fieldErrors?: readonly Problem[] | undefined;
  /** A missing right that is not about one object: verb, resource, and the binding that would give it. */
  readonly denied?: string | undefined;
  /** Why the target namespace cannot be used: it is being deleted. */
  readonly terminating?: string | undefined;
  /** The pull secret, `namespace/name`, that does not exist, or whose type is none for images. */
  readonly pullSecret?: { readonly kind: 'missing' | 'unusable'; readonly name: string } | undefined;
  /** What is wrong with the trust bundle: its ConfigMap, and why it cannot be used. */
  readonly unusableTrustBundle?: string | undefined;
  readonly uninstall?: UninstallProgress | undefined;
  /** One per desired object; absent where nothing was decided. */
  readonly objects?: readonly ObjectState[] | undefined;
  /** `objects` holds a part of the desired objects: the stored rows of the others stay. */
  readonly partial?: boolean;
  /** Why nothing was decided. */
  readonly undecided?: string | undefined;
}

/** The phase is Error after an object has failed in this many passes in a row. */
export const ERROR_AFTER_FAILURES = 3;

/** `Deployment ns/name: message` of each, three at most. */
export function describeEach(objects: readonly ObjectState[], message: (one: ObjectState) => string): string {
  return enumerate(objects.map((one) => `${titleOf(one.type, one.name)}: ${message(one)}`));
}

export function hasFailedRepeatedly(state: ObjectState): boolean {
  return state.state === 'failed' && (state.failures ?? 0) >= ERROR_AFTER_FAILURES;
}
