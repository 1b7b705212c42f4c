import type { KubeObject } from '../../object.js';
import { fill, fillZero, struct, type Draft } from './draft.js';
import { fieldsFrom, STATUS, withMeta, type Kind } from './kind.js';
import { DEPLOYMENT_SCALE } from './scale.js';
import { podSpecDefaults } from './podtemplate.js';

export const DEPLOYMENT: Kind = {
  group: 'apps',
  version: 'v1',
  kind: 'Deployment',
  plural: 'deployments',
  namespaced: true,
  definition: 'io.k8s.api.apps.v1.Deployment',
  shortNames: ['deploy'],
  categories: ['all'],
  subresources: [DEPLOYMENT_SCALE, STATUS],
  generation: 'spec-and-annotations',
  defaults: deploymentDefaults,
  create: (deployment) => ({ ...deployment, status: {} }),
  update: (next, old, subresource) => (subresource === 'status' ? statusUpdate(next, old) : fieldsFrom(next, old, ['status'])),
};

function deploymentDefaults(deployment: Draft): void {
  const spec = struct(deployment, 'spec');
  fill(spec, 'replicas', 1);
  const strategy = struct(spec, 'strategy');
  fillZero(strategy, 'type', 'RollingUpdate');
  if (strategy['type'] === 'RollingUpdate') {
    const rolling = struct(strategy, 'rollingUpdate');
    fill(rolling, 'maxUnavailable', '25%');
    fill(rolling, 'maxSurge', '25%');
  }
  fill(spec, 'revisionHistoryLimit', 10);
  fill(spec, 'progressDeadlineSeconds', 600);
  podSpecDefaults(struct(struct(spec, 'template'), 'spec'));
}

/** Of metadata only the labels stay as they were; annotations move generation only by the main resource. */
function statusUpdate(next: KubeObject, old: KubeObject): KubeObject {
  const { labels: _labels, ...metadata } = next.metadata;
  const { labels } = old.metadata;
  return fieldsFrom(withMeta(next, labels === undefined ? metadata : { ...metadata, labels }), old, ['spec']);
}
