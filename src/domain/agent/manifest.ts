import type { KubeObject } from '../../runtime/vocabulary/meta.js';
import { AGENT_NAMESPACE, AGENT_TOKEN_SECRET, PART_OF_LABEL, PRODUCT } from '../../api/names.js';
import { asRecord, field, type JsonRecord } from '../../runtime/vocabulary/json.js';
import { joinSecretData, type JoinData } from './hubtoken.js';

/** Everything in which the manifests of two agents differ. */
interface AgentManifestInput {
  readonly join: JoinData;
  /** Image of the agent, such as `registry.example.com/multicluster-engine:0.1.0`. */
  readonly image: string;
  /** URL of the managed cluster's API server that the agent publishes; undefined: that of kube-public/cluster-info. */
  readonly apiEndpoint?: string | undefined;
  /** The namespace of Argo CD on the hub, where the agent hands over tokens; undefined: it hands over none. */
  readonly argoCdNamespace?: string | undefined;
}

/**
 * The objects that make a cluster join a hub, in the order of applying: those of `deploy/agent/base`, which `templates` are,
 * with the image, and the Secret with the join token before the Deployment.
 * @throws Error when the templates have no Deployment with one container.
 */
export function agentManifest(templates: readonly KubeObject[], input: AgentManifestInput): readonly KubeObject[] {
  const at = templates.findIndex(({ kind }) => kind === 'Deployment');
  const deployment = templates[at];
  if (deployment === undefined) throw new Error('deploy/agent/base: there is no Deployment');
  return [...templates.slice(0, at), joinSecret(input.join), withInput(deployment, input), ...templates.slice(at + 1)];
}

function joinSecret(join: JoinData): KubeObject {
  const metadata = { name: AGENT_TOKEN_SECRET, namespace: AGENT_NAMESPACE, labels: { [PART_OF_LABEL]: PRODUCT } };
  return Object.assign({ apiVersion: 'v1', kind: 'Secret', metadata }, { type: 'Opaque', data: joinSecretData(join) });
}

function withInput(deployment: KubeObject, { image, apiEndpoint, argoCdNamespace }: AgentManifestInput): KubeObject {
  const spec = asRecord(field(deployment, 'spec'));
  const template = asRecord(spec['template']);
  const pod = asRecord(template['spec']);
  const containers: readonly unknown[] = Array.isArray(pod['containers']) ? pod['containers'] : [];
  if (containers.length !== 1) throw new Error(`deploy/agent/base: want one container, got ${containers.length}`);
  const container = asRecord(containers[0]);
  const args: readonly unknown[] = Array.isArray(container['args']) ? container['args'] : [];
  const changed: JsonRecord = {
    ...container,
    image,
    args: [
      ...args,
      ...(apiEndpoint === undefined ? [] : [`--api-endpoint=${apiEndpoint}`]),
      ...(argoCdNamespace === undefined ? [] : [`--argo-cd-namespace=${argoCdNamespace}`]),
    ],
  };
  const changedSpec = { ...spec, template: { ...template, spec: { ...pod, containers: [changed] } } };
  return Object.assign({ ...deployment }, { spec: changedSpec });
}
