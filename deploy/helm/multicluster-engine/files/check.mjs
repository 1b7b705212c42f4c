// Asks the Kubernetes API, as the ServiceAccount of this pod, whether the release works. Exits with 1 and one line per
// failed check. ACCOUNT: the folder of the token; NAMESPACE: the namespace of the release.
import { readFileSync } from 'node:fs';

const { ACCOUNT, NAMESPACE, KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port } = process.env;
const token = readFileSync(`${ACCOUNT}/token`, 'utf8');

async function get(path) {
  const response = await fetch(`https://${host.includes(':') ? `[${host}]` : host}:${port}${path}`, {
    headers: { authorization: `Bearer ${token}` },
    signal: AbortSignal.timeout(10_000),
  });
  if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`);
  return response.json();
}

const NAME = 'multicluster-engine-operator';
const checks = {
  'the operator is available': async () => {
    const { spec, status } = await get(`/apis/apps/v1/namespaces/${NAMESPACE}/deployments/${NAME}`);
    return (status.availableReplicas ?? 0) >= spec.replicas;
  },
  'the operator holds its Lease': async () => {
    const path = `/apis/coordination.k8s.io/v1/namespaces/${NAMESPACE}/leases/multicluster-engine-engine`;
    const { spec } = await get(path);
    return spec.holderIdentity !== '' && Date.parse(spec.renewTime) > Date.now() - 60_000;
  },
  'the kind MultiClusterEngine is served': () => get('/apis/multicluster.platform.io/v1alpha1'),
  'the kinds of the fleet are served': () => get('/apis/cluster.fleetmgmt.io/v1alpha1'),
};

for (const [what, check] of Object.entries(checks)) {
  const outcome = await check().catch((error) => error);
  const passed = !(outcome instanceof Error) && outcome !== false;
  console.log(`${passed ? 'ok' : 'FAILED'}: ${what}${outcome instanceof Error ? `: ${outcome.message}` : ''}`);
  if (!passed) process.exitCode = 1;
}
