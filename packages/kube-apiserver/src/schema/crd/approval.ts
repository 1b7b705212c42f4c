import type { KubeObject } from '@multicluster-engine/values/object';
import { goQuote } from '@multicluster-engine/values/text';
import { isRequestUri } from '@multicluster-engine/values/formats';

export const APPROVAL = 'api-approved.kubernetes.io';

/** The approval state that the annotation of a definition expresses, with its message. */
export interface Approval {
  readonly state: 'missing' | 'approved' | 'bypassed' | 'invalid';
  readonly message: string;
}

/** Whether definitions of a group need the approval annotation: the groups of Kubernetes itself do. */
export function needsApproval(group: string): boolean {
  return /(?:^|\.)(?:k8s|kubernetes)\.io$/.test(group);
}

export function approvalOf({ metadata: { annotations } }: KubeObject): Approval {
  const text = annotations?.[APPROVAL] ?? '';
  const requirement = `protected groups must have approval annotation ${goQuote(APPROVAL)}`;
  const reference = 'see https://github.com/kubernetes/enhancements/pull/1111';
  if (text === '') return { state: 'missing', message: `${requirement}, ${reference}` };
  if (text.startsWith('unapproved')) return { state: 'bypassed', message: `not approved: ${goQuote(text)}` };
  if (isRequestUri(text) && /^[a-zA-Z][\w+.-]*:\/\/[^/]/.test(text))
    return { state: 'approved', message: `approved in ${text}` };
  return {
    state: 'invalid',
    message: `${requirement} with either a URL or a reason starting with "unapproved", ${reference}`,
  };
}
