import { describe, expect, it } from '@jest/globals';
import { faultLine } from '../../../src/console/server/faultline.js';

const TEXT = `# two documents
kind: Placement
spec:
  numberOfClusters: 1
  predicates:
    - requiredClusterSelector:
        labelSelector: {matchLabels: {tier: gold}}
    # the second
    -
      requiredClusterSelector:
        claimSelector:
          matchExpressions:
          - key: platform
            operator: In
---
kind: Placement
spec:
  tolerations:
    - key: a
    - key: b
      effect: Odd
`;

describe('the line of a fault', () => {
  it.each([
    ['draft, document 1: spec.numberOfClusters: Invalid value: -1', 4],
    ['draft, document 1: Placement shop/web: spec.numberOfClusters: Invalid value: -1', 4],
    ['draft, document 1: unknown field "spec.predicates[0].requiredClusterSelector"', 6],
    ['draft, document 1: spec.predicates[0].requiredClusterSelector.labelSelector.matchLabels.tier: 5: must be', 7],
    ['draft, document 1: spec.predicates[1].requiredClusterSelector.claimSelector.matchExpressions[0].key: x', 13],
    ['draft, document 1: spec.predicates[1].requiredClusterSelector.claimSelector.matchExpressions[0].operator: x', 14],
    ['draft, document 2: spec.tolerations[1].effect: Unsupported value', 21],
    ['draft, document 2: spec.tolerations[1].key: x', 20],
    ['draft, document 2: spec.numberOfClusters: must be set', 17],
    ['draft, document 2: yaml: line 3: tab characters', 18],
    ['ManagedCluster x was not found', undefined],
    ['draft, document 3: spec: x', undefined],
  ])('%s: %s', (fault, line) => {
    expect(faultLine(TEXT, fault)).toBe(line);
  });

  it('a separator on the first line begins the first document', () => {
    expect(faultLine('---\na: 1\n', 'draft, document 1: a: x')).toBe(2);
  });
});
