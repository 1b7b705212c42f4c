import { isArray, isObject } from '@multicluster-engine/values/json';
import type { KubeObject } from '@multicluster-engine/values/object';
import type { Step } from './chain.js';

const NOT_READY = { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' };

/** A new Node is not schedulable until it is ready, as the TaintNodesByCondition plugin has it. */
export const nodeTaint: Step = {
  admit({ resource, subresource, operation, object }) {
    if (object === undefined || operation !== 'CREATE' || subresource !== '') return object;
    return resource.group === '' && resource.plural === 'nodes' ? tainted(object) : object;
  },
};

function tainted(node: KubeObject): KubeObject {
  const spec = isObject(node.spec) ? node.spec : {};
  const taints = isArray(spec.taints) ? spec.taints : [];
  if (taints.some((taint) => isObject(taint) && taint.key === NOT_READY.key && taint.effect === NOT_READY.effect))
    return node;
  return { ...node, spec: { ...spec, taints: [...taints, NOT_READY] } };
}
