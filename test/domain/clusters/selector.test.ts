import { describe, expect, it } from '@jest/globals';
import { CLUSTER_SET_LABEL } from '../../../src/api/names.js';
import { readClusterSelector, selects } from '../../../src/domain/clusters/selector.js';

const labelSelector = (selector: unknown): unknown => ({
  clusterSelector: { selectorType: 'LabelSelector', labelSelector: selector },
});

describe('the selector of a ManagedClusterSet', () => {
  it.each<[string, unknown, boolean]>([
    ['that is absent takes those that carry the label of the set', {}, true],
    ['of a spec that is absent takes them too', undefined, true],
    ['of the exclusive type takes them too', { clusterSelector: { selectorType: 'ExclusiveClusterSetLabel' } }, true],
    ['by labels takes those that match', labelSelector({ matchLabels: { region: 'eu' } }), true],
    ['by other labels takes nobody else', labelSelector({ matchLabels: { region: 'us' } }), false],
    ['by no label at all takes everybody', labelSelector({}), true],
    ['without a label selector takes nobody', { clusterSelector: { selectorType: 'LabelSelector' } }, false],
    ['that cannot be read takes nobody', { clusterSelector: { selectorType: 'Sorting' } }, false],
  ])('%s', (_sentence, spec, taken) => {
    expect(selects('fleet', readClusterSelector(spec), { [CLUSTER_SET_LABEL]: 'fleet', region: 'eu' })).toBe(taken);
  });

  it('of the exclusive type takes nobody who carries the label of another set', () => {
    expect(selects('fleet', readClusterSelector({}), { [CLUSTER_SET_LABEL]: 'other' })).toBe(false);
  });

  it.each<[string, unknown, string, string]>([
    [
      'of an unknown type',
      { clusterSelector: { selectorType: 'Sorting' } },
      'spec.clusterSelector.selectorType',
      'must be one of ExclusiveClusterSetLabel, LabelSelector',
    ],
    [
      'of the exclusive type beside a label selector',
      { clusterSelector: { labelSelector: {} } },
      'spec.clusterSelector.labelSelector',
      'needs selectorType LabelSelector',
    ],
    [
      'with an operator that does not exist',
      labelSelector({ matchExpressions: [{ key: 'a', operator: 'Near' }] }),
      'spec.clusterSelector.labelSelector.matchExpressions[0].operator',
      'must be one of',
    ],
    ['that is no object', { clusterSelector: 7 }, 'spec.clusterSelector', 'is not an object'],
  ])('%s names the field and the rule', (_sentence, spec, field, rule) => {
    const selector = readClusterSelector(spec);

    expect(selector).toMatchObject({ kind: 'unreadable', problem: { field, message: expect.stringContaining(rule) } });
  });
});
