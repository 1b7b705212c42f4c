import { describe, expect, it } from '@jest/globals';
import { CLUSTER_SET_LABEL } from '../../../src/api/names.js';
import { readClusterSelector, selects } from '../../../src/domain/clusters/selector.js';

const labelSelector = (selector: unknown): unknown => ({
  clusterSelector: { selectorType: 'LabelSelector', labelSelector: selector },
});

/** The problems of a selector that cannot be read are recorded in golden/clusters. */
describe('readClusterSelector', () => {
  it.each<[string, unknown, boolean]>([
    ['that is absent selects the clusters with the label of the set', {}, true],
    ['of an absent spec selects the clusters with the label of the set', undefined, true],
    [
      'of the exclusive type selects the clusters with the label of the set',
      { clusterSelector: { selectorType: 'ExclusiveClusterSetLabel' } },
      true,
    ],
    ['by labels selects matching clusters', labelSelector({ matchLabels: { region: 'eu' } }), true],
    ['by labels selects no other clusters', labelSelector({ matchLabels: { region: 'us' } }), false],
    ['with an empty label selector selects all clusters', labelSelector({}), true],
    [
      'of type LabelSelector without a label selector selects no cluster',
      { clusterSelector: { selectorType: 'LabelSelector' } },
      false,
    ],
    ['that cannot be read selects no cluster', { clusterSelector: { selectorType: 'Sorting' } }, false],
  ])('the selector of a ManagedClusterSet %s', (_sentence, spec, taken) => {
    expect(selects('fleet', readClusterSelector(spec), { [CLUSTER_SET_LABEL]: 'fleet', region: 'eu' })).toBe(taken);
  });

  it('the selector of a ManagedClusterSet of the exclusive type selects no cluster with the label of another set', () => {
    expect(selects('fleet', readClusterSelector({}), { [CLUSTER_SET_LABEL]: 'other' })).toBe(false);
  });
});
