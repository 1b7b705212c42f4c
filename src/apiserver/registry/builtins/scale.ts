import { builtinSchema } from '../../data/schemas.js';
import { own, withKey } from '../../json.js';
import type { KubeObject } from '../../object.js';
import type { Subresource } from '../../resource.js';
import { invalidValue } from '../../schema/field.js';
import { numberAt, structAt } from './fields.js';
import { selectorText } from './labelselector.js';

/** The number of replicas of a Deployment as a kind of its own, `Scale` of autoscaling/v1. */
export const DEPLOYMENT_SCALE: Subresource = {
  name: 'scale',
  group: 'autoscaling',
  version: 'v1',
  kind: 'Scale',
  verbs: ['get', 'patch', 'update'],
  view: {
    schema: builtinSchema('io.k8s.api.autoscaling.v1.Scale'),
    read: scaleOf,
    write: (deployment, scale) => withReplicas(deployment, numberAt(structAt(scale, 'spec'), 'replicas')),
    validate(scale) {
      const replicas = numberAt(structAt(scale, 'spec'), 'replicas');
      return replicas < 0 ? [invalidValue('spec.replicas', replicas, 'must be greater than or equal to 0')] : [];
    },
  },
};

function scaleOf(deployment: KubeObject): KubeObject {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = deployment.metadata;
  const identity = Object.entries({ name, namespace, uid, resourceVersion, creationTimestamp }).filter(([, value]) => value !== undefined);
  const spec = structAt(deployment, 'spec');
  const replicas = numberAt(spec, 'replicas');
  const selector = selectorText(own(spec, 'selector'));
  return {
    kind: 'Scale',
    apiVersion: 'autoscaling/v1',
    metadata: Object.fromEntries(identity),
    spec: replicas === 0 ? {} : { replicas },
    status: { replicas: numberAt(structAt(deployment, 'status'), 'replicas'), ...(selector === '' ? {} : { selector }) },
  };
}

function withReplicas(deployment: KubeObject, replicas: number): KubeObject {
  return { ...deployment, spec: withKey(structAt(deployment, 'spec'), 'replicas', replicas) };
}
