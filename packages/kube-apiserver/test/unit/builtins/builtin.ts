import type { KubeObject } from '@multicluster-engine/values/object';
import { builtinResources } from '../../../src/registry/builtins/index.js';
import type { Resource } from '../../../src/resource.js';

const same = (object: KubeObject): KubeObject => object;
const nothing = (): [] => [];

/** The built-in kinds with stubs for the dependencies on other modules. */
export const BUILTINS = builtinResources({
  definitions: { defaultCrd: same, validateCrd: nothing, validateCrdUpdate: nothing, crdWarnings: nothing },
  policies: { validatePolicy: nothing, validateBinding: nothing },
  reviews: {
    TokenReview: same,
    SelfSubjectReview: same,
    SubjectAccessReview: same,
    SelfSubjectAccessReview: same,
    LocalSubjectAccessReview: same,
    SelfSubjectRulesReview: same,
  },
});

/** The kinds that are served in full: all but Pods, whose connections to containers are not documented. */
export const FULLY_SERVED = BUILTINS.filter(({ plural }) => plural !== 'pods');

export function builtin(apiVersion: string, kind: string): Resource {
  const found = BUILTINS.find(
    (resource) =>
      apiVersion === (resource.group === '' ? resource.version : `${resource.group}/${resource.version}`) &&
      resource.kind === kind,
  );
  if (found === undefined) throw new Error(`no built-in kind ${kind} of ${apiVersion}`);
  return found;
}
