import { waitFor, type WaitOptions } from '../wait.js';
import type { ApiAnswer, ApiRequest } from './api.js';

/** `spec` of a SubjectAccessReview. */
export interface AccessRequest {
  readonly user: string;
  readonly groups: readonly string[];
  readonly resourceAttributes: Readonly<Record<string, string>>;
}

/** Waits until a server allows an action: its authorizer processes new roles and bindings asynchronously. */
export async function allowed(
  description: string,
  call: (request: ApiRequest) => Promise<ApiAnswer>,
  spec: AccessRequest,
  options: WaitOptions = {},
): Promise<void> {
  await waitFor(
    description,
    async (seen) => {
      const { text } = await call({
        method: 'POST',
        path: '/apis/authorization.k8s.io/v1/subjectaccessreviews',
        body: { spec },
      });
      seen(text);
      return text.includes('"allowed":true');
    },
    options,
  );
}
