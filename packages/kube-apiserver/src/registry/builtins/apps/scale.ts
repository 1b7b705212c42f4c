import { builtinSchema } from '@multicluster-engine/values/schema/builtin';
import { own, withKey } from '@multicluster-engine/values/json';
import type { KubeObject } from '@multicluster-engine/values/object';
import type { Column, Subresource } from '../../../resource.js';
import { invalidValue } from '@multicluster-engine/values/schema/field';
import { AGE, customColumns } from '../../../table/custom.js';
import { numberAt, structAt } from '@multicluster-engine/values/fields';
import { selectorText } from '../../../table/labelselector.js';

/** Name, kind and verbs of every scale subresource. */
export const SCALE = {
  name: 'scale',
  group: 'autoscaling',
  version: 'v1',
  kind: 'Scale',
  verbs: ['get', 'patch', 'update'],
} as const;
export const SCALE_SCHEMA = builtinSchema('io.k8s.api.autoscaling.v1.Scale');

/** The scale subresource of Deployments and ReplicaSets: `Scale` of autoscaling/v1. */
export const REPLICAS_SCALE: Subresource = {
  ...SCALE,
  view: {
    schema: SCALE_SCHEMA,
    replicas: ['spec', 'replicas'],
    read: scaleOf,
    write: (deployment, scale) => withReplicas(deployment, numberAt(structAt(scale, 'spec'), 'replicas')),
    validate(scale) {
      const replicas = numberAt(structAt(scale, 'spec'), 'replicas');
      return replicas < 0 ? [invalidValue('spec.replicas', replicas, 'must be greater than or equal to 0')] : [];
    },
    columns: scaleColumns(
      'replicas is the desired number of instances for the scaled object.',
      'replicas is the actual number of observed instances of the scaled object.',
    ),
  },
};

/** Table columns of a Scale. */
export function scaleColumns(desired: string, available: string): readonly Column[] {
  return customColumns([
    { name: 'Desired', type: 'integer', description: desired, jsonPath: '.spec.replicas' },
    { name: 'Available', type: 'integer', description: available, jsonPath: '.status.replicas' },
    AGE,
  ]);
}

export interface ScaleFigures {
  readonly desired: number;
  readonly available: number;
  /** Empty where there is no selector. */
  readonly selector: string;
}

/** Builds the Scale of an object. */
export function scaleObject({ metadata }: KubeObject, { desired, available, selector }: ScaleFigures): KubeObject {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = metadata;
  const identity = Object.entries({ name, namespace, uid, resourceVersion, creationTimestamp }).filter(
    ([, value]) => value !== undefined,
  );
  return {
    kind: 'Scale',
    apiVersion: 'autoscaling/v1',
    metadata: Object.fromEntries(identity),
    spec: desired === 0 ? {} : { replicas: desired },
    status: { replicas: available, ...(selector === '' ? {} : { selector }) },
  };
}

function scaleOf(deployment: KubeObject): KubeObject {
  const spec = structAt(deployment, 'spec');
  return scaleObject(deployment, {
    desired: numberAt(spec, 'replicas'),
    available: numberAt(structAt(deployment, 'status'), 'replicas'),
    selector: selectorText(own(spec, 'selector')),
  });
}

function withReplicas(deployment: KubeObject, replicas: number): KubeObject {
  return { ...deployment, spec: withKey(structAt(deployment, 'spec'), 'replicas', replicas) };
}
