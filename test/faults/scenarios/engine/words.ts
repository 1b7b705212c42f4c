import { rootCertificates } from 'node:tls';

import type { UserInfo } from '@multicluster-engine/kube-apiserver';

import type { MultiClusterEngineSpec } from '../../../../src/api/generated/multiclusterengine.js';
import { OPERATOR_SERVICE_ACCOUNT, PAUSED_ANNOTATION, RECONCILE_ANNOTATION } from '../../../../src/api/names.js';
import { MultiClusterEngines } from '../../../../src/api/resources.js';
import type { JsonRecord } from '../../../../src/runtime/vocabulary/json.js';
import { apiVersionOf, ConfigMaps, Secrets } from '../../../../src/runtime/vocabulary/kinds.js';
import type { ObjectName, ResourceType } from '../../../../src/runtime/vocabulary/meta.js';
import { OTHERS } from '../../checks/enginewrites.js';
import { LEADER_NAMESPACE } from '../../hub/base.js';
import type { ProgramSpec } from '../../hub/program.js';
import { step, type Scenario, type Step } from '../../scenario.js';

/** Sentences of scenarios about engines. */

/** As the operator's account, which the policies judge, and with all rights: what it may do without them is tested elsewhere. */
const OPERATOR: UserInfo = {
  name: `system:serviceaccount:${LEADER_NAMESPACE}:${OPERATOR_SERVICE_ACCOUNT}`,
  groups: ['system:masters', 'system:authenticated'],
};

const operator: ProgramSpec = { name: 'operator', controllers: ['engine'], user: OPERATOR };

/**
 * Before the caches of the target namespace are read, after that, and for what each Deployment says, at times of their own where
 * one was retried.
 */
const MOST_PASSES = 20;

export function scenario(name: string, steps: readonly Step[], more: Partial<Scenario> = {}): Scenario {
  return {
    name: `engine/${name}`,
    programs: [operator],
    given: () => Promise.resolve(),
    steps,
    mostPasses: MOST_PASSES,
    ...more,
  };
}

/** The namespace of the operator, which exists already. */
export const HOME = LEADER_NAMESPACE;
/** A namespace that the operator makes. */
export const ROOM = 'engine-room';
/** The name of the engine, where there is one. */
const ENGINE = 'engine';

export function manifest(type: ResourceType, name: ObjectName, rest: JsonRecord = {}): JsonRecord {
  const { metadata, ...content } = rest;
  return {
    apiVersion: apiVersionOf(type),
    kind: type.kind,
    metadata: { ...name, ...(metadata as object) },
    ...content,
  };
}

/** The mark of an object that belongs to somebody else. */
export const others: JsonRecord = { annotations: { [OTHERS]: 'somebody' } };

export const install = (spec: MultiClusterEngineSpec = {}, name = ENGINE): Step =>
  step(`engine ${name} is created: ${JSON.stringify(spec)}`, (hands) =>
    hands.create(manifest(MultiClusterEngines, { name }, { spec })),
  );

/** `null` removes a field. */
export const change = (spec: JsonRecord): Step =>
  step(`the spec is changed: ${JSON.stringify(spec)}`, (hands) =>
    hands.patch(MultiClusterEngines, { name: ENGINE }, { spec }),
  );

export const uninstall = (name = ENGINE): Step =>
  step(`engine ${name} is deleted`, (hands) => hands.remove(MultiClusterEngines, { name }));

export const pause = (value: 'true' | null): Step =>
  step(value === null ? 'the pause ends' : 'the engine is paused', (hands) =>
    hands.patch(MultiClusterEngines, { name: ENGINE }, { metadata: { annotations: { [PAUSED_ANNOTATION]: value } } }),
  );

/** As `flux reconcile` does: somebody asks for one. */
export const reconcile = (at: string): Step =>
  step(`somebody asks at ${at} to reconcile the engine`, (hands) =>
    hands.patch(MultiClusterEngines, { name: ENGINE }, { metadata: { annotations: { [RECONCILE_ANNOTATION]: at } } }),
  );

/** The operator is started again as another version. */
export const update = (version: string): Step => ({
  title: `the operator is updated to ${version}`,
  act: () => Promise.resolve(),
  config: { version, componentImage: `example.com/multicluster-engine:${version}` },
});

export const add = (type: ResourceType, name: ObjectName, content: JsonRecord = {}): Step =>
  step(`somebody creates ${type.kind} ${name.name}`, (hands) => hands.create(manifest(type, name, content)));

export const edit = (type: ResourceType, name: ObjectName, patch: JsonRecord): Step =>
  step(`somebody edits ${type.kind} ${name.name}: ${JSON.stringify(patch)}`, (hands) => hands.patch(type, name, patch));

export const drop = (type: ResourceType, name: ObjectName): Step =>
  step(`somebody deletes ${type.kind} ${name.name}`, (hands) => hands.remove(type, name));

export const addPullSecret = (name: string, type = 'kubernetes.io/dockerconfigjson'): Step => {
  const data = type.startsWith('kubernetes.io') ? { '.dockerconfigjson': btoa('{"auths":{}}') } : {};
  return add(Secrets, { namespace: HOME, name }, { type, data, metadata: others });
};

/** `which`: the number of an authority that Node knows. */
export const authority = (which: number): string => rootCertificates[which] ?? '';

export const addTrustBundle = (name: string, which: number): Step =>
  add(ConfigMaps, { namespace: HOME, name }, { data: { 'ca.crt': authority(which) }, metadata: others });

/** Of a scenario in which something does not go: it is looked at every 2 s. */
export const HOLDS: Partial<Scenario> = { quietMs: 1_400, mostPasses: 400 };

/** A scenario in which something is looked at every 10 s: a watch that is silent makes a step minutes longer. */
export const watchful: typeof scenario = (name, steps, more) => scenario(name, steps, { mostPasses: 60, ...more });

/** Keeps an object from going until the finalizer is removed. */
export const HOLD = 'example.com/held';
export const HELD: JsonRecord = { metadata: { finalizers: [HOLD] } };
export const RELEASED: JsonRecord = { metadata: { finalizers: null } };
