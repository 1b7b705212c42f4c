import type { KubeObject } from '../api/meta.js';

export interface EventNote {
  readonly regarding: KubeObject; // apiVersion, kind, metadata.{namespace,name,uid,resourceVersion} are used
  readonly type: 'Normal' | 'Warning';
  /** One of the documented reasons. */
  readonly reason: string;
  /** What the controller was doing, UpperCamelCase. */
  readonly action: string;
  /** At most 1 KiB; cut when longer. */
  readonly note: string;
}

/** Writes events.k8s.io/v1 events in the background; never throws, never blocks a pass, drops when its queue is full. */
export interface EventRecorder {
  record(event: EventNote): void;
  /** Resolves when what was recorded has been sent or given up. */
  flush(): Promise<void>;
}
