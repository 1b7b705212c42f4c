import type { RequiredObject } from './controller.js';

/** The ServiceAccount `default`. */
export const defaultServiceAccount: RequiredObject = {
  account: 'service-account-controller',
  plural: 'serviceaccounts',
  object: { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default' } },
};
