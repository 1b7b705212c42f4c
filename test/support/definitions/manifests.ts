/** Items of lists with the least that they need, and without what has a meaning when it is absent. */
const SELECTOR = `{matchLabels: {region: eu}, matchExpressions: [{key: tier, operator: In, values: [gold, silver]}, {key: gpu, operator: Exists}]}`;
/** The rest of a manifest by its kind: what follows its kind and metadata. */
export const MANIFESTS: Readonly<Record<string, string>> = {
  MultiClusterEngine: `
apiVersion: multicluster.platform.io/v1alpha1
spec:
  nodeSelector: {disk: ssd}
  tolerations: [{key: gpu, value: "yes", effect: NoSchedule}, {operator: Exists}, {key: a, effect: NoExecute, tolerationSeconds: 5}]`,
  ManagedCluster: `
apiVersion: cluster.fleetmgmt.io/v1alpha1
spec:
  hubAcceptsClient: true
  taints: [{key: gpu, effect: NoSelect}, {key: gpu, value: "yes", effect: NoSelectIfNew}]`,
  ManagedClusterSet: `
apiVersion: cluster.fleetmgmt.io/v1alpha1
spec: {clusterSelector: {selectorType: LabelSelector, labelSelector: ${SELECTOR}}}`,
  ManagedClusterSetBinding: `
apiVersion: cluster.fleetmgmt.io/v1alpha1
spec: {clusterSet: full}`,
  Placement: `
apiVersion: cluster.fleetmgmt.io/v1alpha1
spec:
  ClusterSets: [b, a]
  numberOfClusters: 2
  predicates:
    - requiredClusterSelector:
        labelSelector: ${SELECTOR}
        claimSelector: {matchExpressions: [{key: platform, operator: In, values: [aws]}, {key: gpu, operator: Exists}]}
    - {}
  tolerations: [{key: gpu, value: "yes", effect: NoSelect}, {operator: Exists}, {key: a, tolerationSeconds: 5}, {key: b}]
  disruptionBudget: {maxRemovals: 10%}
  decisionDetails: {labels: [region, a], claims: [platform]}`,
  PlacementDecision: `
apiVersion: cluster.fleetmgmt.io/v1alpha1
status: {numberOfClusters: 1, decisions: [{clusterName: a, reason: ""}]}`,
};
