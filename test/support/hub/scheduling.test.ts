import { describe, expect, it } from '@jest/globals';

import type { V1Taint } from '@kubernetes/client-node';
import { unschedulable, type Node, type Placed } from './scheduling.js';

function node(
  change: {
    readonly labels?: Record<string, string>;
    readonly taints?: V1Taint[];
    readonly cordoned?: boolean;
  } = {},
): Node {
  const { labels = {}, taints = [], cordoned = false } = change;
  return { metadata: { name: 'local', labels }, spec: { taints, unschedulable: cordoned } };
}

const DEDICATED: V1Taint = { key: 'dedicated', value: 'hub', effect: 'NoSchedule' };
const SELECTOR = "0/1 nodes are available: 1 node(s) didn't match Pod's node affinity/selector.";
const UNTOLERATED = '0/1 nodes are available: 1 node(s) had untolerated taint {dedicated: hub}.';

describe('a pod on the one node', () => {
  it.each<[string, Placed, Node | undefined, string | undefined]>([
    ['asks for nothing', {}, node(), undefined],
    ['has no node', {}, undefined, 'no nodes available to schedule pods'],
    [
      'selects a label that is there',
      { nodeSelector: { zone: 'a' } },
      node({ labels: { zone: 'a', other: 'b' } }),
      undefined,
    ],
    ['selects another value', { nodeSelector: { zone: 'b' } }, node({ labels: { zone: 'a' } }), SELECTOR],
    ['selects a label that is missing', { nodeSelector: { zone: '' } }, node(), SELECTOR],
    ['selects a label that only a prototype has', { nodeSelector: { constructor: 'x' } }, node(), SELECTOR],
    ['meets a taint', {}, node({ taints: [DEDICATED] }), UNTOLERATED],
    [
      'meets a taint with the effect PreferNoSchedule',
      {},
      node({ taints: [{ key: 'dedicated', value: 'hub', effect: 'PreferNoSchedule' }] }),
      undefined,
    ],
    [
      'tolerates it by value',
      { tolerations: [{ key: 'dedicated', value: 'hub', effect: 'NoSchedule' }] },
      node({ taints: [DEDICATED] }),
      undefined,
    ],
    [
      'tolerates another value',
      { tolerations: [{ key: 'dedicated', value: 'spoke' }] },
      node({ taints: [DEDICATED] }),
      UNTOLERATED,
    ],
    [
      'tolerates another effect',
      { tolerations: [{ key: 'dedicated', operator: 'Exists', effect: 'NoExecute' }] },
      node({ taints: [DEDICATED] }),
      UNTOLERATED,
    ],
    [
      'tolerates the key whatever its value',
      { tolerations: [{ key: 'dedicated', operator: 'Exists' }] },
      node({ taints: [DEDICATED] }),
      undefined,
    ],
    [
      'tolerates everything',
      { tolerations: [{ operator: 'Exists' }] },
      node({ taints: [DEDICATED, { key: 'x', effect: 'NoExecute' }] }),
      undefined,
    ],
    [
      'tolerates one taint of two',
      { tolerations: [{ key: 'x', operator: 'Exists' }] },
      node({ taints: [DEDICATED, { key: 'x', effect: 'NoExecute' }] }),
      UNTOLERATED,
    ],
    ['meets a cordon', {}, node({ cordoned: true }), '0/1 nodes are available: 1 node(s) were unschedulable.'],
    [
      'tolerates the cordon',
      { tolerations: [{ key: 'node.kubernetes.io/unschedulable', operator: 'Exists' }] },
      node({ cordoned: true }),
      undefined,
    ],
  ])('a pod that %s is scheduled or gets the reason why it is not', (_name, pod, where, why) => {
    expect(unschedulable(pod, where)).toBe(why);
  });
});
