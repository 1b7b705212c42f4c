import { expect } from '@jest/globals';

import type { ResourceType } from '../../../src/api/meta.js';
import { apiVersionOf } from '../../../src/api/resources.js';
import type { AnyObject, ApiAnswer } from '@multicluster-engine/kube-apiserver/testing/controlplane/api';
import type { ControlPlane } from '@multicluster-engine/kube-apiserver/testing/controlplane/plane';

/** One rule of the API with its bad and its good twin: two values that differ in nothing but this rule. */
export interface Rule<T> {
  /** The rule, as the test's name says it. */
  readonly rule: string;
  readonly bad: T;
  readonly good: T;
  /** Path of the field that the refusal must name. */
  readonly field: string;
  /** What the refusal must print of the value; left out where the server names lengths and absences only. */
  readonly value?: string;
  /** What the refusal must print of the rule. */
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

/** Sends a creation that is checked in full and not stored. */
export function tryCreate(server: ControlPlane, type: ResourceType, object: AnyObject): Promise<ApiAnswer> {
  return server.call({
    method: 'POST',
    path: `${pathOf(type, 'default')}?dryRun=All&fieldValidation=Strict`,
    body: object,
  });
}

/** Expects a refusal whose only cause names the field, the value and the rule. */
export function expectRefusal(
  answer: ApiAnswer,
  rule: { readonly field: string; readonly value?: string; readonly says: string },
): void {
  expect(answer.status).toBe(422);
  const causes = causesOf(answer).filter((cause) => !cause.message.includes('some validation rules were not checked'));
  expect(causes.map((cause) => cause.field)).toEqual([rule.field]);
  expect(causes[0]?.message).toContain(rule.says);
  expect(causes[0]?.message).toContain(rule.value ?? '');
}

/** The causes of a refusal. */
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
