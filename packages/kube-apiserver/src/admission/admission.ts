import type { KubeObject } from '@multicluster-engine/values/object';
import type { Resource } from '../resource.js';
import type { UserInfo } from '../user.js';

/** A write request as admission sees it. */
export interface AdmissionRequest {
  readonly user: UserInfo;
  readonly operation: 'CREATE' | 'UPDATE' | 'DELETE';
  readonly resource: Resource;
  /** '' for the main resource. */
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
  /** undefined for a DELETE. */
  readonly object: KubeObject | undefined;
  /** undefined for a CREATE. */
  readonly oldObject: KubeObject | undefined;
  readonly dryRun: boolean;
  /** CreateOptions, UpdateOptions (patches too) or DeleteOptions. */
  readonly options: KubeObject;
  /** Adds an annotation to the audit event. */
  readonly annotate?: (key: string, value: string) => void;
}

/** Validating admission. Throws a StatusError to refuse; `warn` receives texts for `Warning` headers. */
export interface Admission {
  validate(request: AdmissionRequest, warn: (text: string) => void): void;
}
