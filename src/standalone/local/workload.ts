import type { KubeObject } from '../../runtime/vocabulary/meta.js';

/** A Deployment of apps/v1, with the fields that this runtime reads. */
export interface Deployment extends KubeObject {
  readonly spec?: {
    readonly replicas?: number;
    readonly minReadySeconds?: number;
    readonly progressDeadlineSeconds?: number;
    readonly selector?: { readonly matchLabels?: Readonly<Record<string, string>> };
    readonly template?: {
      readonly metadata?: {
        readonly labels?: Readonly<Record<string, string>>;
        readonly annotations?: Readonly<Record<string, string>>;
      };
      readonly spec?: PodSpec;
    };
    readonly strategy?: {
      readonly type?: string;
      readonly rollingUpdate?: { readonly maxUnavailable?: number | string };
    };
  };
  readonly status?: DeploymentStatus;
}

export interface DeploymentStatus {
  readonly observedGeneration?: number;
  readonly replicas?: number;
  readonly updatedReplicas?: number;
  readonly readyReplicas?: number;
  readonly availableReplicas?: number;
  readonly unavailableReplicas?: number;
  readonly terminatingReplicas?: number;
  readonly conditions?: readonly DeploymentCondition[];
}

export interface DeploymentCondition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
  /** RFC 3339, seconds. */
  readonly lastUpdateTime: string;
  readonly lastTransitionTime: string;
}

export interface PodSpec {
  readonly serviceAccountName?: string;
  readonly automountServiceAccountToken?: boolean;
  readonly terminationGracePeriodSeconds?: number;
  readonly nodeSelector?: Readonly<Record<string, string>>;
  readonly tolerations?: readonly Toleration[];
  readonly containers?: readonly PodContainer[];
  readonly volumes?: readonly Volume[];
}

/** The fields of a container that its process is started from; image and command are not used. */
export interface Container {
  readonly name: string;
  readonly args?: readonly string[];
  readonly env?: readonly EnvironmentVariable[];
  readonly volumeMounts?: readonly VolumeMount[];
}

export interface EnvironmentVariable {
  readonly name: string;
  readonly value?: string;
  readonly valueFrom?: { readonly fieldRef?: { readonly fieldPath: string }; readonly [source: string]: unknown };
}

interface VolumeMount {
  readonly name: string;
  readonly mountPath: string;
}

/** A probe of a pod spec; only `httpGet` is supported. Times in seconds. */
export interface Probe {
  readonly httpGet?: { readonly path?: string; readonly port: number | string; readonly scheme?: string };
  readonly initialDelaySeconds?: number;
  readonly periodSeconds?: number;
  readonly timeoutSeconds?: number;
  readonly successThreshold?: number;
  readonly failureThreshold?: number;
}

export interface PodContainer extends Container {
  readonly image?: string;
  readonly ports?: readonly { readonly name?: string; readonly containerPort: number }[];
  readonly readinessProbe?: Probe;
  readonly livenessProbe?: Probe;
  readonly startupProbe?: Probe;
}

export interface Toleration {
  readonly key?: string;
  readonly operator?: string;
  readonly value?: string;
  readonly effect?: string;
  /** For the effect NoExecute; no limit when absent. */
  readonly tolerationSeconds?: number;
}

export interface Volume {
  readonly name: string;
  readonly secret?: { readonly secretName?: string; readonly optional?: boolean };
  readonly configMap?: {
    readonly name?: string;
    readonly optional?: boolean;
    /** The keys that are mounted, and as which files; all of them when absent. */
    readonly items?: readonly { readonly key: string; readonly path: string }[];
  };
  readonly emptyDir?: object;
}

/** A Node, with the fields that decide which pods may run there. */
export interface Node extends KubeObject {
  readonly spec?: { readonly taints?: readonly Taint[]; readonly unschedulable?: boolean };
  readonly status?: object;
}

export interface Taint {
  readonly key: string;
  readonly value?: string;
  readonly effect: string;
}
