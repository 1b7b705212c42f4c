import type { UserInfo } from '../user.js';

/** What somebody wants to do, in the words of RBAC. */
export type Attributes = ResourceAttributes | PathAttributes;

export interface ResourceAttributes {
  readonly user: UserInfo;
  readonly verb: string;
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly subresource: string;
  /** '' for cluster-scoped resources and for all namespaces. */
  readonly namespace: string;
  readonly name: string;
}

export interface PathAttributes {
  readonly user: UserInfo;
  readonly verb: string;
  readonly path: string;
}

export interface Decision {
  readonly allowed: boolean;
  /** Which binding allowed it, or why not; '' when there is nothing to say. */
  readonly reason: string;
}

/** Decides at once, from RBAC objects as they are stored now. */
export interface Authorizer {
  authorize(attributes: Attributes): Decision;
}
