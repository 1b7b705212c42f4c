import type { HubApi } from '../../../src/operator/controllers/engine/scope.js';
import path from 'node:path';

import type {
  MultiClusterEngine,
  MultiClusterEngineSpec,
  MultiClusterEngineStatus,
} from '../../../src/api/generated/multiclusterengine.js';
import type { Condition, KubeObject, ObjectMeta } from '../../../src/runtime/vocabulary/meta.js';
import { CLEANUP_FINALIZER } from '../../../src/api/names.js';
import { Deployments } from '../../../src/runtime/vocabulary/kinds.js';
import { CATALOGUE, type Templates } from '../../../src/domain/engine/catalogue.js';
import {
  desiredObjects,
  type DesiredObject,
  type EngineSettings,
} from '../../../src/domain/engine/manifest/desired.js';
import { titleOf, type Manifest } from '../../../src/domain/engine/manifest/manifest.js';
import { desiredSteps, pruneSteps, type StepInput, type Step } from '../../../src/domain/engine/steps/steps.js';
import type { ObjectState, StatusInput } from '../../../src/domain/engine/status/input.js';
import { effectiveSpec } from '../../../src/domain/engine/spec.js';
import { specErrorsBy } from '../../../src/domain/engine/validation.js';
import { readManifests } from '../../../src/runtime/manifests.js';
import { root } from '../repository/root.js';

/** Plain defaults for everything about an engine: name `hub`, namespace `multicluster-engine`, version 1.0.0. */

export const UID = '0b1a5a0e-0000-4000-8000-00000000000a';
export const NAMESPACE = 'multicluster-engine';
export const NOW = '2026-01-01T00:00:00Z';
export const LATER = '2026-01-01T00:05:00Z';

/** The components as `deploy/` ships them. */
export const templates: Templates = Object.fromEntries(
  CATALOGUE.map((row) => [row.folder, readManifests(path.join(root, 'deploy/components', row.folder))]),
);

const [definition] = readManifests(path.join(root, 'crds')).filter((one) =>
  one.metadata.name.startsWith('multiclusterengines.'),
);
if (definition === undefined) throw new Error('crds: the definition of engines is missing');
/** The errors of a spec by the definition as `crds/` ships it. */
export const specErrors = specErrorsBy(definition);

/** The templates of one component. */
export const placementOnly: Templates = { 'placement-controller': templates['placement-controller'] ?? [] };

/** A hub without Nodes, whose API server answers. */
export const hub: HubApi = {
  version: () => Promise.resolve('v1.36.3'),
  nodes: () => Promise.resolve([]),
  probe: () => Promise.resolve(),
};

export const settings: EngineSettings = {
  version: '1.0.0',
  image: 'registry.example/engine:1.0.0',
  replicas: 2,
  omitUserIds: false,
  operatorNamespace: 'multicluster-engine-operator',
  without: [],
  componentEnvironment: {},
};

export const identity = { name: 'hub', uid: UID };

export interface EngineOver {
  readonly metadata?: Partial<ObjectMeta>;
  readonly spec?: MultiClusterEngineSpec;
  readonly status?: MultiClusterEngineStatus;
}

export function engine(over: EngineOver = {}): MultiClusterEngine {
  const metadata = {
    name: 'hub',
    uid: UID,
    resourceVersion: '1',
    generation: 1,
    creationTimestamp: '2025-12-31T00:00:00Z',
  };
  return {
    apiVersion: 'multicluster.platform.io/v1alpha1',
    kind: 'MultiClusterEngine',
    metadata: { ...metadata, finalizers: [CLEANUP_FINALIZER], ...over.metadata },
    spec: over.spec ?? {},
    status: over.status ?? { observedGeneration: -1 },
  };
}

/** All desired objects of engine `hub`. */
export function desired(
  spec: MultiClusterEngineSpec = {},
  over: Partial<EngineSettings> = {},
  given = templates,
): readonly DesiredObject[] {
  return desiredObjects(identity, effectiveSpec(spec), given, { ...settings, ...over });
}

/** The desired object of a kind. */
export function wanted(kind: string, spec: MultiClusterEngineSpec = {}): DesiredObject {
  const found = desired(spec).find((one) => one.type.kind === kind);
  if (found === undefined) throw new Error(`no ${kind} is wanted`);
  return found;
}

export interface DeploymentCounts {
  readonly generation?: number;
  readonly observedGeneration?: number;
  readonly wanted?: number;
  readonly replicas?: number;
  readonly updated?: number;
  readonly available?: number;
  readonly conditions?: readonly {
    readonly type: string;
    readonly status: string;
    readonly reason?: string;
    readonly message?: string;
  }[];
}

/** A Deployment that is available, with the fields of `counts`. */
export function deployment(counts: DeploymentCounts = {}): Manifest {
  const { generation = 1, wanted: replicas = 2 } = counts;
  const conditions = counts.conditions ?? [
    { type: 'Available', status: 'True', reason: 'MinimumReplicasAvailable' },
    { type: 'Progressing', status: 'True', reason: 'NewReplicaSetAvailable' },
  ];
  return {
    metadata: {
      name: 'placement-controller',
      namespace: NAMESPACE,
      uid: 'deployment',
      resourceVersion: '7',
      generation,
    },
    spec: { replicas },
    status: {
      observedGeneration: counts.observedGeneration ?? generation,
      replicas: counts.replicas ?? 2,
      updatedReplicas: counts.updated ?? 2,
      readyReplicas: counts.available ?? 2,
      availableReplicas: counts.available ?? 2,
      conditions,
    },
  };
}

/** A Deployment without a status. */
export function newDeployment(): Manifest {
  const { status: _status, ...rest } = deployment();
  return rest;
}

const plain = desired({}, {}, placementOnly);

export function objectState(kind: string, over: Partial<ObjectState> = {}): ObjectState {
  const one = plain.find(({ type }) => type.kind === kind);
  if (one === undefined) throw new Error(`no ${kind} is wanted`);
  return stateOf(one, over);
}

function stateOf({ type, object, component }: DesiredObject, over: Partial<ObjectState>): ObjectState {
  const { name, namespace } = object.metadata;
  const live: { object?: KubeObject } = type === Deployments ? { object: deployment() } : {};
  return {
    type,
    name: namespace === undefined ? { name } : { namespace, name },
    component,
    state: 'applied',
    message: '',
    ...live,
    ...over,
  };
}

/** The object states of one component when everything is applied; `over` holds changes by kind. */
export function objectStates(over: Readonly<Record<string, Partial<ObjectState>>> = {}): readonly ObjectState[] {
  return plain.map((one) => stateOf(one, over[one.type.kind] ?? {}));
}

export function statusInput(over: Partial<StatusInput> = {}): StatusInput {
  return {
    engine: engine(),
    version: '1.0.0',
    targetNamespace: NAMESPACE,
    paused: false,
    objects: objectStates(),
    ...over,
  };
}

export function condition(status: MultiClusterEngineStatus | undefined, type: string): Condition | undefined {
  return status?.conditions?.find((one) => one.type === type);
}

/** Every step of a plan: what is desired in the order of applying, then what is pruned. */
export function plan(input: StepInput): readonly Step[] {
  return [...desiredSteps(input), ...pruneSteps(input)];
}

/** A step as one line: what is done, to which object, and why. */
export function stepText(step: Step): string {
  return `${step.action} ${titleOf(step.type, step.name)} (${step.cause})`;
}
