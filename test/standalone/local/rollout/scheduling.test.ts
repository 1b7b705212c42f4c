import { describe, expect, it } from '@jest/globals';

import { evictionFrom, unschedulable } from '../../../../src/standalone/local/rollout/scheduling.js';
import type { Node, PodSpec, Taint } from '../../../../src/standalone/local/workload.js';

function node(
  change: {
    readonly labels?: Record<string, string>;
    readonly taints?: readonly Taint[];
    readonly cordoned?: boolean;
  } = {},
): Node {
  const { labels = {}, taints = [], cordoned = false } = change;
  return { metadata: { name: 'local', labels }, spec: { taints, unschedulable: cordoned } };
}

const DEDICATED: Taint = { key: 'dedicated', value: 'hub', effect: 'NoSchedule' };
const SELECTOR = "0/1 nodes are available: 1 node(s) didn't match Pod's node affinity/selector.";
const UNTOLERATED = '0/1 nodes are available: 1 node(s) had untolerated taint {dedicated: hub}.';

describe('a pod on the one node', () => {
  it.each<[string, PodSpec, Node | undefined, string | undefined]>([
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
      node({ taints: [{ ...DEDICATED, effect: 'PreferNoSchedule' }] }),
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

describe('the eviction of a running pod by NoExecute taints', () => {
  const HARD: Taint = { key: 'k', value: 'v', effect: 'NoExecute' };
  const other: Taint = { key: 'other', effect: 'NoExecute' };
  const INTOLERANT = 'the pod template does not tolerate the taint k=v:NoExecute';
  it.each<[string, PodSpec, readonly Taint[], [number, string] | undefined]>([
    ['no taint at all', {}, [], undefined],
    ['a taint of another effect', {}, [DEDICATED], undefined],
    ['a taint that is not tolerated', {}, [HARD], [0, INTOLERANT]],
    [
      'a taint that is tolerated for NoSchedule only',
      { tolerations: [{ key: 'k', operator: 'Exists', effect: 'NoSchedule' }] },
      [HARD],
      [0, INTOLERANT],
    ],
    ['a taint that is tolerated without end', { tolerations: [{ key: 'k', operator: 'Exists' }] }, [HARD], undefined],
    [
      'a taint that is tolerated for a while',
      { tolerations: [{ key: 'k', value: 'v', tolerationSeconds: 30 }] },
      [HARD],
      [30, 'the pod template tolerates the taint k=v:NoExecute for no more than 30 s'],
    ],
    [
      'a taint that is tolerated for a negative time',
      { tolerations: [{ key: 'k', value: 'v', tolerationSeconds: -5 }] },
      [HARD],
      [0, 'the pod template tolerates the taint k=v:NoExecute for no more than 0 s'],
    ],
    [
      'the shorter of two toleration times',
      {
        tolerations: [
          { key: 'k', operator: 'Exists', tolerationSeconds: 30 },
          { key: 'other', operator: 'Exists', tolerationSeconds: 9 },
        ],
      },
      [HARD, other],
      [9, 'the pod template tolerates the taint other:NoExecute for no more than 9 s'],
    ],
    [
      'one taint of two that is not tolerated',
      { tolerations: [{ key: 'other', operator: 'Exists', tolerationSeconds: 9 }] },
      [other, HARD],
      [0, INTOLERANT],
    ],
  ])('the eviction of a running pod follows from %s', (_name, pod, taints, expected) => {
    const eviction = evictionFrom(pod, node({ taints }));
    expect(eviction && [eviction.afterSeconds, eviction.message]).toEqual(expected);
  });
});
