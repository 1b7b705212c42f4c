import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

import { loadAll } from 'js-yaml';

import { OPERATOR_NAMESPACE } from '../../../src/api/names.js';
import { fields, items, text, type Fields } from '../scenario/checks/reading.js';
import type { RehearsalHub } from './hub.js';
import type { Release } from './release.js';

/** The ways of installation, each from the files of a release and nothing else. */
export const WAYS: Readonly<Record<string, (hub: RehearsalHub, release: Release) => Promise<void>>> = {
  'the chart': async (hub, { chart }) => {
    await hub.helm('install', 'multicluster-engine', chart, ...PLACE, '--create-namespace', '--wait');
  },
  'the manifests': async (hub, { folder }) => {
    const files = ['definitions.yaml', 'install.yaml'].flatMap((file) => ['-f', path.join(folder, file)]);
    await hub.kubectl('apply', '--server-side', ...files);
  },
  'the bundle for OLM': installBundle,
};

const PLACE = ['--namespace', OPERATOR_NAMESPACE];
/** As OLM's own: not that of the other ways. */
const OLM_NAMESPACE = 'operators';

/** What OLM does with a bundle, and then what the description of the bundle asks an administrator for. */
async function installBundle(hub: RehearsalHub, { bundle }: Release): Promise<void> {
  const folder = path.join(bundle, 'manifests');
  const objects = readdirSync(folder).flatMap((file) =>
    loadAll(readFileSync(path.join(folder, file), 'utf8')).map((one) => fields(one)),
  );
  const version = objects.find(({ kind }) => kind === 'ClusterServiceVersion');
  const { install, description } = fields(version?.['spec']);
  const command = /^`(kubectl .*)`$/m.exec(text(description))?.[1] ?? '';
  const plain = objects.filter((one) => one !== version).map((one) => placed(one));
  await hub.kubectl('create', 'namespace', OLM_NAMESPACE);
  await hub.apply(asList([...plain, ...installed(fields(fields(install)['spec']))]));
  await hub.shell(command.replace('NAMESPACE', OLM_NAMESPACE));
}

/** In the namespace of the installation, as far as the kind has namespaces. */
function placed(object: Fields): Fields {
  const isNamespaced = ['ConfigMap', 'PodDisruptionBudget'].includes(text(object['kind']));
  return isNamespaced ? { ...object, metadata: { ...fields(object['metadata']), namespace: OLM_NAMESPACE } } : object;
}

/** The Deployments of a ClusterServiceVersion, with the accounts, roles and bindings of its permissions. */
function installed(strategy: Fields): Fields[] {
  const deployments = items(strategy['deployments']).map(({ name, label, spec }) => ({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, labels: label, namespace: OLM_NAMESPACE },
    spec,
  }));
  const rights = (field: string, prefix: string): Fields[] =>
    items(strategy[field]).flatMap(({ serviceAccountName, rules }) => {
      const apiVersion = 'rbac.authorization.k8s.io/v1';
      const metadata = { name: serviceAccountName, namespace: OLM_NAMESPACE };
      const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: `${prefix}Role`, name: serviceAccountName };
      return [
        { apiVersion: 'v1', kind: 'ServiceAccount', metadata },
        { apiVersion, kind: `${prefix}Role`, metadata: prefix === '' ? metadata : { name: serviceAccountName }, rules },
        {
          apiVersion,
          kind: `${prefix}RoleBinding`,
          metadata: prefix === '' ? metadata : { name: serviceAccountName },
          roleRef,
          subjects: [{ kind: 'ServiceAccount', ...metadata }],
        },
      ];
    });
  return [...rights('permissions', ''), ...rights('clusterPermissions', 'Cluster'), ...deployments];
}

function asList(objects: readonly Fields[]): string {
  return objects.map((one) => JSON.stringify(one)).join('\n---\n');
}
