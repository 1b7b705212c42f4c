import type { Container } from '../../../src/standalone/local/launcher.js';
import type { AnyMeta } from '@multicluster-engine/kube-apiserver/testing/controlplane/api';

/** A Deployment as far as a process can be made of it. */
export interface Deployment {
  readonly kind: 'Deployment';
  readonly metadata: AnyMeta & { readonly name: string; readonly namespace: string };
  readonly spec: { readonly replicas?: number; readonly template: { readonly spec: PodSpec } };
}

export interface PodSpec {
  readonly serviceAccountName?: string;
  readonly automountServiceAccountToken?: boolean;
  readonly containers: readonly Container[];
  readonly volumes?: readonly Volume[];
}

export interface Volume {
  readonly name: string;
  readonly secret?: { readonly secretName: string };
  readonly configMap?: { readonly name: string };
  readonly emptyDir?: object;
}

/** Whether parsed JSON or YAML is a Deployment with at least one container. */
export function isDeployment(value: unknown): value is Deployment {
  const found: Partial<Deployment> | null | undefined = typeof value === 'object' ? value : undefined;
  return found?.kind === 'Deployment' && (found.spec?.template.spec.containers.length ?? 0) > 0;
}
