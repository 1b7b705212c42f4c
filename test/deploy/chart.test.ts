import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Ajv } from 'ajv';
import { load, loadAll } from 'js-yaml';

import { asRecord, field, isRecord } from '../../src/runtime/vocabulary/json.js';
import { OPERATOR_NAMESPACE } from '../../src/api/names.js';
import { releaseVersion } from '../../src/runtime/process/build.js';
import { NO_IMAGE } from '../../src/api/published.js';
import { describeWithPrograms, runProgram } from '../support/programs/programs.js';
import { root } from '../support/repository/root.js';

const CHART = path.join(root, 'deploy', 'helm', 'multicluster-engine');
const KEEP = 'helm.sh/resource-policy';
const REPOSITORY = 'registry.example.com/multicluster-engine';
const IMAGE = `${REPOSITORY}:${releaseVersion()}`;
/** Each overlay, and the values of the chart that give the same objects. */
const WAYS = [
  { overlay: 'default', flags: [] },
  { overlay: 'ha', flags: ['--values', path.join(CHART, 'values-ha.yaml')] },
  { overlay: 'namespaced', flags: ['--set', 'onlyNamespace=multicluster-engine'] },
];

function read(file: string): string {
  return readFileSync(path.join(CHART, file), 'utf8');
}

/** Objects by kind, namespace and name. */
function byId(texts: string): Map<string, unknown> {
  const objects = loadAll(texts).filter(isRecord);
  return new Map(
    objects.map((one) => {
      const { namespace = '', name } = asRecord(one['metadata']);
      return [`${String(one['kind'])} ${String(namespace)}/${String(name)}`, one];
    }),
  );
}

/** What an installation of an overlay applies. */
async function installed(overlay: string): Promise<Map<string, unknown>> {
  const build = (folder: string): Promise<string> =>
    runProgram('kustomize', ['build', path.join(root, 'deploy', folder)]);
  return byId(`${await build('definitions')}\n---\n${await build(`overlays/${overlay}`)}`.replaceAll(NO_IMAGE, IMAGE));
}

async function template(...flags: readonly string[]): Promise<Map<string, unknown>> {
  const image = ['--set', `image.repository=${REPOSITORY}`];
  return byId(await runProgram('helm', ['template', 'engine', CHART, '-n', OPERATOR_NAMESPACE, ...image, ...flags]));
}

function annotationsOf(object: unknown): unknown {
  return field(field(object, 'metadata'), 'annotations');
}

/** The object without the annotation that makes Helm keep it. */
function withoutKeep(object: unknown): unknown {
  const { annotations, ...metadata } = asRecord(field(object, 'metadata'));
  const { [KEEP]: _keep, ...others } = asRecord(annotations);
  const rest = Object.keys(others).length === 0 ? {} : { annotations: others };
  return { ...asRecord(object), metadata: { ...metadata, ...rest } };
}

/** The path of every value: `image.tag`. */
function paths(values: unknown, at = ''): string[] {
  if (!isRecord(values) || Object.keys(values).length === 0) return [at];
  return Object.entries(values).flatMap(([key, value]) => paths(value, at === '' ? key : `${at}.${key}`));
}

/** Each choice of optional folders, and the values of the chart that give the same objects. */
const OPTIONS = [
  { resources: ['monitoring'], components: [], flags: ['metrics.monitoring=true'] },
  { resources: [], components: ['metrics-secure'], flags: ['metrics.secure=true'] },
  {
    resources: ['monitoring'],
    components: ['metrics-secure'],
    flags: ['metrics.secure=true', 'metrics.monitoring=true'],
  },
  {
    resources: [],
    components: ['omit-user-ids', 'sig-decisions', 'multikueue', 'cluster-profiles'],
    flags: [
      'sigDecisions.enabled=true',
      'multikueue.enabled=true',
      'publishProfiles.namespace=cluster-inventory',
      'omitUserIds=true',
    ],
  },
  {
    resources: [],
    components: ['inventories'],
    flags: ['inventories.clusterProfiles=cluster-inventory', 'inventories.openClusterManagement=true'],
  },
  {
    resources: ['monitoring'],
    components: ['inventories', 'omit-user-ids', 'metrics-secure'],
    flags: [
      'omitUserIds=true',
      'inventories.clusterProfiles=cluster-inventory',
      'inventories.openClusterManagement=true',
      'metrics.secure=true',
      'metrics.monitoring=true',
    ],
  },
];

describeWithPrograms('the Helm chart', ['helm', 'kustomize'], () => {
  let folder = '';
  beforeAll(() => void (folder = mkdtempSync(path.join(tmpdir(), 'multicluster-engine-chart-'))));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it.each(OPTIONS)(
    'the Helm chart with $flags has the objects of overlay default with $resources and $components',
    async ({ resources, components, flags }) => {
      const inDeploy = (name: string): string => path.relative(folder, path.join(root, 'deploy', name));
      const listed = {
        resources: ['definitions', 'overlays/default', ...resources].map(inDeploy),
        components: components.map(inDeploy),
      };
      writeFileSync(path.join(folder, 'kustomization.yaml'), JSON.stringify(listed));
      const wanted = byId((await runProgram('kustomize', ['build', folder])).replaceAll(NO_IMAGE, IMAGE));
      const plain = await installed('default');
      const made = [...(await template(...flags.flatMap((one) => ['--set', one])))].filter(
        ([, one]) => field(annotationsOf(one), 'helm.sh/hook') === undefined,
      );

      expect(wanted.size).toBeGreaterThan(plain.size);
      expect(wanted.delete(`Namespace /${OPERATOR_NAMESPACE}`)).toBe(true);
      expect(new Map(made.map(([id, one]) => [id, withoutKeep(one)]))).toEqual(wanted);
    },
  );

  it.each([
    ['onlyNamespace=infra', 'infra'],
    ['metrics.targetNamespace=fleet', 'fleet'],
  ])('the Helm chart with %s scrapes, and permits reviews of tokens, in namespace %s', async (value, namespace) => {
    const values = ['metrics.secure=true', 'metrics.monitoring=true', value];
    const objects = await template(...values.flatMap((one) => ['--set', one]));
    const monitor = objects.get(`PodMonitor ${OPERATOR_NAMESPACE}/multicluster-engine`);
    const binding = objects.get('ClusterRoleBinding /multicluster-engine-metrics-auth');

    expect(field(field(field(monitor, 'spec'), 'namespaceSelector'), 'matchNames')).toEqual([
      OPERATOR_NAMESPACE,
      namespace,
    ]);
    expect(field(binding, 'subjects')).toContainEqual({
      kind: 'ServiceAccount',
      name: 'placement-controller',
      namespace,
    });
  });

  it.each([
    ['onlyNamespace=infra', 'infra'],
    ['sigDecisions.targetNamespace=fleet', 'fleet'],
  ])(
    'the Helm chart with %s lets the placement controller of namespace %s publish decisions',
    async (value, namespace) => {
      const objects = await template('--set', 'sigDecisions.enabled=true', '--set', value);

      expect(field(objects.get('ClusterRoleBinding /multicluster-engine-sig-decisions'), 'subjects')).toEqual([
        { kind: 'ServiceAccount', name: 'placement-controller', namespace },
      ]);
    },
  );

  it('the Helm chart lets the placement controller publish clusters in the namespace of its value alone', async () => {
    const values = ['publishProfiles.namespace=kueue-system', 'publishProfiles.targetNamespace=fleet'];
    const objects = await template(...values.flatMap((one) => ['--set', one]));

    const id = 'kueue-system/multicluster-engine-cluster-profiles';
    expect(field(objects.get(`Role ${id}`), 'rules')).toHaveLength(2);
    expect(field(objects.get(`RoleBinding ${id}`), 'subjects')).toEqual([
      { kind: 'ServiceAccount', name: 'placement-controller', namespace: 'fleet' },
    ]);
    expect(JSON.stringify(objects.get(`Deployment ${OPERATOR_NAMESPACE}/multicluster-engine-operator`))).toContain(
      '{"name":"MULTICLUSTER_ENGINE_PUBLISH_PROFILES","value":"kueue-system"}',
    );
  });

  it('the Helm chart runs a controller for the inventories that are turned on, and none without', async () => {
    const name = 'multicluster-engine-inventories';
    const deployment = async (...flags: readonly string[]): Promise<unknown> =>
      (await template(...flags.flatMap((one) => ['--set', one]))).get(`Deployment ${OPERATOR_NAMESPACE}/${name}`);
    const text = JSON.stringify(await deployment('inventories.openClusterManagement=true', 'image.tag=9.9'));

    expect(await deployment()).toBeUndefined();
    expect(text).toContain('{"name":"MULTICLUSTER_ENGINE_CLUSTER_PROFILES","value":""}');
    expect(text).toContain('{"name":"MULTICLUSTER_ENGINE_OCM_CLUSTERS","value":"true"}');
    expect(text).toContain('"image":"registry.example.com/multicluster-engine:9.9"');
  });

  it.each(WAYS)(
    'the Helm chart has the objects of overlay $overlay, except the namespace of the operator',
    async ({ overlay, flags }) => {
      const wanted = await installed(overlay);
      const objects = await template(...flags);
      const made = [...objects].filter(([, one]) => field(annotationsOf(one), 'helm.sh/hook') === undefined);

      expect(wanted.delete(`Namespace /${OPERATOR_NAMESPACE}`)).toBe(true);
      expect(new Map(made.map(([id, one]) => [id, withoutKeep(one)]))).toEqual(wanted);
      expect(made.length).toBeGreaterThan(25);
    },
  );

  it('the Helm chart keeps the CustomResourceDefinitions, the identities of the agents and a namespace with objects of an engine', async () => {
    const kept = async (...flags: readonly string[]): Promise<string[]> =>
      [...(await template(...flags))].filter(([, one]) => field(annotationsOf(one), KEEP) === 'keep').map(([id]) => id);
    const definitions = (ids: readonly string[]): number =>
      ids.filter((id) => id.startsWith('CustomResourceDefinition ')).length;

    const found = await kept('--set', 'onlyNamespace=fleet');
    const agents = 'Namespace /multicluster-engine-agents';
    const namespaces = found.filter((id) => id.startsWith('Namespace'));
    expect([definitions(found), new Set(namespaces)]).toEqual([6, new Set([agents, 'Namespace /fleet'])]);
    // With them the two policies and their bindings.
    expect(found.filter((id) => id.startsWith('ValidatingAdmissionPolicy'))).toHaveLength(4);
    expect(found).toHaveLength(12);
    const going = await template('--set', 'crds.keep=false');
    expect(await kept('--set', 'crds.keep=false')).toEqual([agents]);
    expect(annotationsOf(going.get('CustomResourceDefinition /placements.cluster.fleetmgmt.io'))).toEqual({
      'cluster.fleetmgmt.io/allow-deletion': 'true',
    });
    expect(definitions([...(await template('--set', 'crds.enabled=false')).keys()])).toBe(0);
  });

  it.each([
    ['policies.inUse', ['in-use']],
    ['policies.warnings', ['warnings', 'fleet-warnings', 'agent-warnings', 'namespace-warnings', 'engine-warnings']],
  ])(
    'the Helm chart with %s=false leaves out the policies %s and their bindings, and nothing else',
    async (value, policies) => {
      const [whole, less] = [await template(), await template('--set', `${value}=false`)];

      const wanted = policies.flatMap((policy) => [
        `ValidatingAdmissionPolicy /multicluster-engine-${policy}`,
        `ValidatingAdmissionPolicyBinding /multicluster-engine-${policy}`,
      ]);
      expect(new Set([...whole.keys()].filter((id) => !less.has(id)))).toEqual(new Set(wanted));
      expect(less.size).toBe(whole.size - wanted.length);
    },
  );

  it.each([
    [[], IMAGE],
    [['image.repository=localhost:5000/engine'], `localhost:5000/engine:${releaseVersion()}`],
    [['image.tag=9.9'], `${REPOSITORY}:9.9`],
    [[`image.digest=sha256:${'a'.repeat(64)}`], `${REPOSITORY}@sha256:${'a'.repeat(64)}`],
    [['image.tag=9.9', `image.digest=sha256:${'a'.repeat(64)}`], `${REPOSITORY}:9.9@sha256:${'a'.repeat(64)}`],
  ])('the Helm chart with %j runs the operator, its components and the test with image %s', async (values, image) => {
    const objects = await template(...values.flatMap((one) => ['--set', one]));
    const images = JSON.stringify([...objects.values()]).match(/"image":"[^"]*"/g);
    const operator = JSON.stringify(objects.get(`Deployment ${OPERATOR_NAMESPACE}/multicluster-engine-operator`));

    expect(images).toEqual([`"image":"${image}"`, `"image":"${image}"`]);
    expect(operator).toContain(`{"name":"MULTICLUSTER_ENGINE_IMAGE","value":"${image}"}`);
  });

  it.each<[string, readonly number[]]>([
    ['[443,16443]', [443, 16_443]],
    ['[16443]', [16_443]],
    // Neither may become a rule without ports, which allows all of them.
    ['[]', [443, 6443]],
    ['null', [443, 6443]],
  ])('the Helm chart with networkPolicy.apiServerPorts=%s lets its pods reach ports %j', async (value, ports) => {
    const inventories = ['--set', 'inventories.openClusterManagement=true'];
    const objects = await template('--set-json', `networkPolicy.apiServerPorts=${value}`, ...inventories);
    const policies = [...objects.values()].filter((one) => field(one, 'kind') === 'NetworkPolicy');
    const egress = policies.map((one) => field(field(one, 'spec'), 'egress'));
    const rule = [{ ports: ports.map((port) => ({ protocol: 'TCP', port })) }];

    expect(egress).toEqual([rule, rule]);
  });

  it('the Helm chart puts every setting of the pods into the Deployment of the operator', async () => {
    const settings = {
      imagePullSecrets: [{ name: 'registry' }],
      nodeSelector: { room: 'a' },
      tolerations: [{ key: 'k', operator: 'Exists' }],
      affinity: { nodeAffinity: {} },
      priorityClassName: 'system-cluster-critical',
    };
    const extraEnv = [{ name: 'OTEL_EXPORTER_OTLP_ENDPOINT', value: 'http://collector:4318' }];
    const values = { ...settings, extraArgs: ['--log-level=debug'], extraEnv, image: { pullPolicy: 'Always' } };
    const objects = await template(
      ...Object.entries(values).flatMap(([key, one]) => ['--set-json', `${key}=${JSON.stringify(one)}`]),
    );
    const pod = ['spec', 'template', 'spec'].reduce(
      field,
      objects.get(`Deployment ${OPERATOR_NAMESPACE}/multicluster-engine-operator`),
    );

    expect(pod).toMatchObject({
      ...settings,
      containers: [
        {
          args: ['operator', '--controllers=engine', '--log-level=debug'],
          env: expect.arrayContaining(extraEnv),
          imagePullPolicy: 'Always',
        },
      ],
    });
  });

  it('helm lint finds nothing to complain about', async () => {
    expect(await runProgram('helm', ['lint', '--strict', CHART])).toContain('1 chart(s) linted, 0 chart(s) failed');
  });
});

describe('values.schema.json', () => {
  const schema = asRecord(JSON.parse(read('values.schema.json')));
  const accepts = new Ajv({ strict: false }).compile(schema);
  const values = asRecord(load(read('values.yaml')));

  it('values.schema.json accepts values.yaml and values-ha.yaml', () => {
    expect([accepts(values), accepts(load(read('values-ha.yaml')))]).toEqual([true, true]);
  });

  it('values.schema.json describes every value of values.yaml', () => {
    const known = paths(values).map((at) => {
      const found = at.split('.').reduce<unknown>((node, key) => field(field(node, 'properties'), key), schema);
      return [at, typeof field(found, 'description')];
    });

    expect(known.length).toBeGreaterThan(15);
    // The contents of resources are those of Kubernetes.
    expect(known.filter(([at, kind]) => kind !== 'string' && at?.startsWith('resources.') === false)).toEqual([]);
  });

  it.each([
    { replica: 2 },
    { replicas: 0 },
    { replicas: '2' },
    { image: { repository: 'engine:1.0' } },
    { image: { digest: 'sha256:abc' } },
    { onlyNamespace: 'kube-system' },
    { onlyNamespace: 'default' },
    { topologySpread: { nodes: 'Never' } },
    { extraArgs: ['log-level=debug'] },
    { policies: { target: false } },
    { extraEnv: ['A=1'] },
    { metrics: { secure: 'true' } },
    { metrics: { targetNamespace: '' } },
    { sigDecisions: { enabled: 'yes' } },
    { inventories: { clusterProfiles: 'Fleet' } },
    { publishProfiles: { namespace: 'Fleet' } },
    { inventories: { ocm: true } },
    { networkPolicy: { apiServerPorts: 443 } },
    { networkPolicy: { apiServerPorts: ['443'] } },
    { networkPolicy: { apiServerPorts: [0] } },
    { networkPolicy: { apiServerPorts: [65_536] } },
    { networkPolicy: { apiServerPorts: [443, 443] } },
    { networkPolicy: { apiServerPorts: [1, 2, 3, 4, 5, 6, 7, 8, 9] } },
  ])('values.schema.json rejects %j', (wrong) => {
    expect(accepts(wrong)).toBe(false);
  });
});
