import { expect } from '@jest/globals';

import type { ResourceType } from '../../../src/runtime/vocabulary/meta.js';
import { apiVersionOf } from '../../../src/runtime/vocabulary/kinds.js';
import type { AnyObject, ApiAnswer } from '@multicluster-engine/kube-apiserver/testing/controlplane/api';
import type { ControlPlane } from '@multicluster-engine/kube-apiserver/testing/controlplane/plane';

/** One rule of the API with an invalid and a valid value, which differ only in this rule. */
export interface Rule<T> {
  /** The rule, for the test name. */
  readonly rule: string;
  readonly bad: T;
  readonly good: T;
  /** Path of the field that the error must name. */
  readonly field: string;
  /** The part of the value that the error must have; absent for lengths and missing fields. */
  readonly value?: string;
  /** The part of the rule that the error must have. */
  readonly says: string;
}

/** The path of a type's collection: the namespace is ignored for a cluster-scoped type. */
export function pathOf(type: ResourceType, namespace: string, name = ''): string {
  const scope = type.namespaced ? `/namespaces/${namespace}` : '';
  const group = type.group === '' ? `/api/${type.version}` : `/apis/${apiVersionOf(type)}`;
  return `${group}${scope}/${type.plural}${name === '' ? '' : `/${name}`}`;
}

/** A body of the type. */
export function objectOf(
  type: ResourceType,
  metadata: AnyObject['metadata'],
  rest: Record<string, unknown>,
): AnyObject {
  return { apiVersion: apiVersionOf(type), kind: type.kind, metadata: metadata ?? {}, ...rest };
}

/** Sends a create request as a dry run. */
export function tryCreate(server: ControlPlane, type: ResourceType, object: AnyObject): Promise<ApiAnswer> {
  return server.call({
    method: 'POST',
    path: `${pathOf(type, 'default')}?dryRun=All&fieldValidation=Strict`,
    body: object,
  });
}

/**
 * Expects an error whose only cause names the field, the value and the rule. Kubernetes 1.30 says lengths in
 * other words, and leaves out `status` in the fields of that subresource.
 */
export function expectRefusal(
  answer: ApiAnswer,
  rule: { readonly field: string; readonly value?: string; readonly says: string },
): void {
  expect(answer.status).toBe(422);
  const causes = causesOf(answer).filter((cause) => !cause.message.includes('some validation rules were not checked'));
  const fields = causes.map(({ field }) => (`status.${field}` === rule.field ? rule.field : field));
  const message = causes[0]?.message.replace(/may not be longer than (\d+)/, 'may not be more than $1 bytes');
  expect(fields).toEqual([rule.field]);
  expect(message).toContain(rule.says);
  expect(message).toContain(rule.value ?? '');
}

/** The causes of an error. */
export function causesOf(answer: ApiAnswer): { readonly field: string; readonly message: string }[] {
  const details = answer.body['details'];
  if (typeof details !== 'object' || details === null || !('causes' in details) || !Array.isArray(details.causes))
    return [];
  const causes: readonly unknown[] = details.causes;
  return causes.map((cause) => ({ field: textAt(cause, 'field'), message: textAt(cause, 'message') }));
}

function textAt(value: unknown, key: string): string {
  if (typeof value !== 'object' || value === null) return '';
  const found: unknown = Object.entries(value).find(([name]) => name === key)?.[1];
  return typeof found === 'string' ? found : '';
}

/** `count` values made from their index. */
export function many<T>(count: number, make: (index: number) => T): T[] {
  return Array.from({ length: count }, (_none, index) => make(index));
}
