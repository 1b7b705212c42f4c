import type { KubeObject } from '../object.js';
import type { Resource } from '../resource.js';
import type { UserInfo } from '../user.js';

/** A request that is about to change something, as admission sees it. */
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
  /** Adds an annotation to the event of the audit log. */
  readonly annotate?: (key: string, value: string) => void;
}

/** The validating half of admission. Throws the StatusError that refuses; collects texts of `Warning` headers. */
export interface Admission {
  validate(request: AdmissionRequest, warn: (text: string) => void): void;
}
