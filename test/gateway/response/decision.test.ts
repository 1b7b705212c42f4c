import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { DECISION_REVISION_ANNOTATION } from '../../../src/api/names.js';
import { revisionOf } from '../../../src/domain/placement/stored/decision.js';
import {
  consistentClusters,
  decisionDocument,
  warningsOf,
  type DecisionForm,
} from '../../../src/gateway/response/decision.js';
import type { JsonRecord } from '../../../src/runtime/vocabulary/json.js';

/** A decision object with these clusters. */
function object(name: string, clusters: readonly string[], change: JsonRecord = {}): JsonRecord {
  return {
    metadata: { name, annotations: { [DECISION_REVISION_ANNOTATION]: revisionOf(clusters) } },
    status: { decisions: clusters.map((clusterName) => ({ clusterName, reason: '' })) },
    ...change,
  };
}

function placement(...objects: readonly (readonly [string, readonly string[]])[]): JsonRecord {
  return { status: { decisions: objects.map(([name, clusters]) => ({ name, revision: revisionOf(clusters) })) } };
}

function names(read: ReturnType<typeof consistentClusters>): readonly string[] | undefined {
  return read?.map((one) => one.clusterName);
}

describe('the clusters of a decision', () => {
  const written = placement(['web-decision-1', ['a', 'b']], ['web-decision-2', ['c']]);
  const first = object('web-decision-1', ['a', 'b']);
  const second = object('web-decision-2', ['c']);

  it.each<[string, JsonRecord, readonly JsonRecord[], readonly string[] | undefined]>([
    ['objects at their revisions, in any order', written, [second, first], ['a', 'b', 'c']],
    [
      'an object that the status does not list',
      written,
      [first, second, object('web-decision-3', ['d'])],
      ['a', 'b', 'c'],
    ],
    ['an empty decision', placement(['web-decision-1', []]), [object('web-decision-1', [])], []],
    ['no decision yet', {}, [], undefined],
    ['an empty list in the status', { status: { decisions: [] } }, [first], undefined],
    ['an object that was deleted', written, [first], undefined],
    ['all objects deleted', written, [], undefined],
    ['an object of an earlier revision', written, [object('web-decision-1', ['a']), second], undefined],
    ['an object that was emptied by hand', written, [{ ...first, status: { decisions: [] } }, second], undefined],
    ['an object without a status', written, [{ ...first, status: undefined }, second], undefined],
    ['an object without annotations', written, [{ ...first, metadata: { name: 'web-decision-1' } }, second], undefined],
    ['items that are no objects', written, [{ ...first, status: { decisions: ['a', 'b'] } }, second], undefined],
    [
      'a cluster that moves to another object, once',
      placement(['web-decision-1', ['a', 'b']], ['web-decision-2', ['b', 'c']]),
      [first, object('web-decision-2', ['b', 'c'])],
      ['a', 'b', 'c'],
    ],
  ])('are read whole or not at all: %s', (_title, stored, objects, expected) => {
    expect(names(consistentClusters(stored, objects))).toEqual(expected);
  });

  it('are never a mix of two decisions, whichever writes a reader has seen', () => {
    const clusters = fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd', 'e'), { maxLength: 4 });
    fc.assert(
      fc.property(fc.tuple(clusters, clusters), fc.tuple(clusters, clusters), fc.nat(3), (before, after, seen) => {
        const pairs = (all: readonly string[][]) => all.map((one, at) => [`web-decision-${at + 1}`, one] as const);
        const mixed = before.map((one, at) =>
          object(`web-decision-${at + 1}`, (seen & (1 << at)) === 0 ? one : (after[at] ?? [])),
        );
        const read = names(consistentClusters(placement(...pairs(before)), mixed));
        if (read !== undefined) expect(read).toEqual([...new Set(before.flat())]);
      }),
    );
  });
});

describe('the document of a decision', () => {
  const decision = {
    namespace: 'shop',
    placement: 'web',
    clusters: [
      { clusterName: 'eu-1', reason: '', group: 'canary', groupIndex: '0' },
      { clusterName: 'us-1', reason: '', 'label/appName': 'us', 'claim/nodes/ready': '3' },
    ],
  };

  it.each<[DecisionForm, unknown]>([
    ['plain', { namespace: 'shop', placement: 'web', numberOfClusters: 2, decisions: decision.clusters }],
    ['json', { namespace: 'shop', placement: 'web', numberOfClusters: 2, decisions: decision.clusters }],
    ['argocd', { output: { parameters: decision.clusters } }],
    [
      'flux',
      {
        inputs: [
          { id: 'eu-1', ...decision.clusters[0] },
          { id: 'us-1', ...decision.clusters[1] },
        ],
      },
    ],
    [
      'prometheus',
      [
        {
          targets: ['eu-1'],
          labels: {
            __meta_multicluster_namespace: 'shop',
            __meta_multicluster_placement: 'web',
            __meta_multicluster_cluster: 'eu-1',
            __meta_multicluster_group: 'canary',
            __meta_multicluster_group_index: '0',
          },
        },
        {
          targets: ['us-1'],
          labels: {
            __meta_multicluster_namespace: 'shop',
            __meta_multicluster_placement: 'web',
            __meta_multicluster_cluster: 'us-1',
            __meta_multicluster_label_appName: 'us',
            __meta_multicluster_claim_nodes_ready: '3',
          },
        },
      ],
    ],
  ])('has the form that %s reads', (form, expected) => {
    expect(decisionDocument(decision, form)).toEqual(expected);
  });

  it.each<[DecisionForm, unknown]>([
    ['argocd', { output: { parameters: [] } }],
    ['flux', { inputs: [] }],
    ['prometheus', []],
  ])('has a list, also when nothing is selected: %s', (form, expected) => {
    expect(decisionDocument({ ...decision, clusters: [] }, form)).toEqual(expected);
  });

  it('fits into what Flux Operator reads, 900 KiB, for 5,000 clusters with names of 60 characters', () => {
    const clusters = Array.from({ length: 5_000 }, (_, at) => ({ clusterName: `c${at}-`.padEnd(60, 'x'), reason: '' }));
    expect(warningsOf(JSON.stringify(decisionDocument({ ...decision, clusters }, 'flux')), 'flux')).toEqual([]);
  });

  it.each<[DecisionForm, number, readonly string[]]>([
    ['flux', 900 * 1024, []],
    [
      'flux',
      900 * 1024 + 1,
      ['299 - "921601 bytes: Flux Operator takes at most 921600, and keeps the inputs that it has"'],
    ],
    ['json', 900 * 1024 + 1, []],
  ])('is warned of with as=%s and %d bytes by %j', (form, bytes, warnings) => {
    expect(warningsOf(`${'é'.repeat(2)}${'x'.repeat(bytes - 4)}`, form)).toEqual(warnings);
  });

  it('has one label of Prometheus for several fields that differ in marks alone: the first by name, and the others are named', () => {
    const details = { 'label/a_b': '_', 'label/a.b': '.', 'label/a-b': '-', 'label/a/b': '', 'claim/a_b': 'c' };
    const labels = {
      __meta_multicluster_namespace: 'shop',
      __meta_multicluster_placement: 'web',
      __meta_multicluster_cluster: 'a',
      __meta_multicluster_claim_a_b: 'c',
      __meta_multicluster_label_a_b: '-',
      __meta_multicluster_left_out: 'label/a.b,label/a_b',
    };
    const orders = [Object.entries(details), Object.entries(details).reverse()];

    for (const order of orders) {
      const clusters = [{ clusterName: 'a', ...Object.fromEntries(order) }];
      expect(decisionDocument({ namespace: 'shop', placement: 'web', clusters }, 'prometheus')).toEqual([
        { targets: ['a'], labels },
      ]);
    }
  });
});
