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

export interface VolumeMount {
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
