import type { UserInfo } from '../user.js';

/** A requested action, in the terms of RBAC. */
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
  /** The binding that allows it, or why it is denied; may be ''. */
  readonly reason: string;
}

/** Decides synchronously, from the stored RBAC objects. */
export interface Authorizer {
  authorize(attributes: Attributes): Decision;
}
