import type { Example } from '../runtime/flags/commands.js';

/**
 * What the help of each command shows, by its name: one or two of its uses, with the names of `examples/fleet.yaml` and
 * `examples/placement.yaml`.
 */
export const EXAMPLES: Readonly<Record<string, readonly Example[]>> = {
  operator: [
    ['All controllers in one process, on the hub of a kubeconfig', 'operator --kubeconfig=hub.kubeconfig'],
    ['Clusters of Open Cluster Management alone', 'operator --controllers=inventories --ocm-clusters'],
  ],
  gateway: [
    [
      'Outside the hub',
      'gateway --tls-cert=tls.crt --tls-key=tls.key --upstream=https://hub.example.com:6443 --upstream-ca=ca.crt',
    ],
  ],
  agent: [['Outside the cluster that it reports of', 'agent --kubeconfig=edge-1.kubeconfig']],
  standalone: [
    ['A hub that is forgotten at the end', 'standalone --ephemeral'],
    ['With 20 simulated clusters that have agents', 'standalone --demo-fleet=20'],
  ],
  explain: [
    ['Why each cluster is selected or not', 'explain placement web -n shop'],
    ['What one cluster would need', 'explain placement web -n shop --cluster prod-ap-1'],
  ],
  plan: [
    ['What applying a file would move', 'plan -f examples/placement.yaml'],
    ['What the loss of each region would do', 'plan --lose-each label/region'],
  ],
  'who-selects': [['What a cluster is needed for', 'who-selects prod-us-1']],
  tree: [
    ['Every decision of the hub', 'tree -A'],
    ['By the values of a label', 'tree placement web -n shop --by label/tier'],
  ],
  console: [['In the browser, with the rights of a context', 'console --context hub']],
  history: [['Who came and left, and why', 'history placement web -n shop']],
  status: [['What is not as it should be', 'status -o wide']],
  check: [
    ['What is wrong with an installation', 'check'],
    ['What a cluster lacks to become a hub', 'check --pre'],
  ],
  release: [
    ['Let the clusters go that the budget holds now', 'release placement web -n shop'],
    ['Let one come in for an hour', 'release placement web -n shop --additions --clusters prod-ap-1 --for 1h'],
  ],
  pause: [['Freeze a decision', 'pause placement web -n shop']],
  resume: [['See what changes then, and change nothing', 'resume placement web -n shop --dry-run']],
  cluster: [
    [
      'Let a cluster join, and apply the manifest of its agent there with kubectl',
      'cluster add edge-1 --set edge --image registry.example.com/multicluster-engine:0.1.0',
    ],
    ['End its tokens, and forget it', 'cluster remove edge-1'],
    ['Which clusters have joined, and which are silent', 'cluster list'],
  ],
  clusterset: [['Let the Placements of a namespace select from a set', 'clusterset bind production -n shop']],
  cordon: [['Before work on a cluster', 'cordon prod-us-1']],
  uncordon: [['After it', 'uncordon prod-us-1']],
  drain: [
    ['Which clusters would take its place', 'drain prod-us-1 --dry-run'],
    ['Without a question, and wait for an hour at most', 'drain prod-us-1 --yes --timeout 1h'],
  ],
  mcp: [['With the rights of a context', 'mcp --context hub']],
  completion: [['For the plugin of kubectl too', 'completion bash']],
  version: [['For a program', 'version -o json']],
};
