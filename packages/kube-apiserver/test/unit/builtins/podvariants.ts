import type { Patch } from './variants.js';

export const container = { name: 'c', image: 'x' };

/** A Deployment whose only container has more. */
export function withContainer(more: Patch, pod: Patch = {}): Patch {
  return { spec: { template: { spec: { containers: [{ ...container, ...more }], ...pod } } } };
}

export function withPod(pod: Patch): Patch {
  return { spec: { template: { spec: pod } } };
}

function withVolumes(...sources: readonly Patch[]): Patch {
  return withPod({ volumes: sources.map((source, at) => ({ name: `v${at}`, ...source })) });
}

function withAnnotations(annotations: Readonly<Record<string, string>>, pod: Patch = {}): Patch {
  return { spec: { template: { metadata: { annotations }, spec: pod } } };
}

const CLAIM = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };

/** Templates of pods with parts that few have, and those that the server warns of. */
export const POD_VARIANTS: Readonly<Record<string, Patch>> = {
  'no volumes of storage systems': withVolumes(
    { gitRepo: {} },
    { gcePersistentDisk: {} },
    { awsElasticBlockStore: {} },
    { iscsi: {} },
    { glusterfs: {} },
    { flocker: {} },
    { rbd: {} },
    { cinder: {} },
    { cephfs: {} },
    { quobyte: {} },
    { fc: {} },
    { flexVolume: {} },
    { azureFile: {} },
    { vsphereVolume: {} },
    { photonPersistentDisk: {} },
    { portworxVolume: {} },
    { azureDisk: {} },
    { storageos: {} },
    { scaleIO: {} },
    { csi: {} },
    { ephemeral: {} },
    { nfs: {} },
  ),
  'volumes of storage systems': withVolumes(
    { gcePersistentDisk: { pdName: 'x' } },
    { awsElasticBlockStore: { volumeID: 'x', partition: 3 } },
    { flocker: { datasetName: 'x' } },
    { rbd: { monitors: ['a'], image: 'x' } },
    { cephfs: { monitors: ['a'] } },
    { quobyte: { registry: 'a:1,[::1]:2', volume: 'v' } },
    { fc: { targetWWNs: ['a'], lun: 3 } },
    { flexVolume: { driver: 'a/b', options: { a: 'b' } } },
    { azureDisk: { diskName: 'd', diskURI: 'https://x' } },
    { csi: { driver: 'A.b', nodePublishSecretRef: { name: 's' } } },
    { ephemeral: { volumeClaimTemplate: { metadata: { labels: { a: 'b' } }, spec: CLAIM } } },
    { glusterfs: { endpoints: 'e', path: 'p' } },
  ),
  'bad volumes of storage systems': withVolumes(
    { gitRepo: { repository: 'r', directory: '/a/../b' } },
    { gcePersistentDisk: { pdName: 'x', partition: 256 } },
    { iscsi: { targetPortal: 'a', iqn: 'x', lun: 256, chapAuthSession: true, initiatorName: 'iqn.x' } },
    { iscsi: { targetPortal: 'a', iqn: 'eui.0' } },
    { flocker: { datasetName: 'a/b', datasetUUID: 'c' } },
    { cinder: { volumeID: 'x', secretRef: {} } },
    { quobyte: { registry: 'a,b:1', volume: 'v' } },
    { quobyte: { registry: 'a:1', volume: 'v', tenant: 'x'.repeat(65) } },
    { fc: { targetWWNs: ['a'], wwids: ['b'] } },
    { fc: { targetWWNs: ['a'], lun: -1 } },
    { flexVolume: { driver: 'd', options: { 'kubernetes.io/x': 'a', 'x.k8s.io': 'b' } } },
    { azureDisk: { diskName: 'd', diskURI: 'x', cachingMode: 'X', kind: 'Y' } },
    { azureDisk: { diskName: 'd', diskURI: 'x', kind: 'Managed' } },
    { storageos: { volumeName: 'A_b', volumeNamespace: 'A_b', secretRef: {} } },
    { csi: { driver: `${'x'.repeat(64)}_`, nodePublishSecretRef: { name: 'A_b' } } },
    { csi: { driver: 'd', nodePublishSecretRef: {} } },
    { nfs: { server: 's', path: 'x' } },
  ),
  'bad claims': withVolumes(
    {
      ephemeral: {
        volumeClaimTemplate: {
          metadata: { labels: { 'a b': 'c' }, annotations: { 'a b': 'c' } },
          spec: { selector: { matchLabels: { 'a b': 'c' } }, volumeMode: 'X', storageClassName: 'A_b' },
        },
      },
    },
    {
      ephemeral: {
        volumeClaimTemplate: {
          spec: { accessModes: ['ReadWriteOncePod', 'ReadOnlyMany', 'X'], resources: { requests: { storage: '0' } } },
        },
      },
    },
  ),
  'claims of fractions': withVolumes({
    ephemeral: {
      volumeClaimTemplate: {
        spec: {
          accessModes: ['ReadWriteOnce'],
          resources: { requests: { storage: '1.5' }, limits: { storage: '2500m' } },
        },
      },
    },
  }),
  mounts: withContainer(
    {
      volumeMounts: [{ name: 'a', mountPath: '/a', readOnly: true, recursiveReadOnly: 'IfPossible' }],
      volumeDevices: [{ name: 'b', devicePath: '/b' }],
    },
    { volumes: [{ name: 'a' }, { name: 'b', persistentVolumeClaim: { claimName: 'x' } }] },
  ),
  'bad mounts': withContainer(
    {
      volumeMounts: [
        { name: 'a', mountPath: '/a', recursiveReadOnly: 'Enabled', mountPropagation: 'HostToContainer' },
        { name: 'b', mountPath: '/b', recursiveReadOnly: 'X' },
      ],
      volumeDevices: [
        { name: 'b', devicePath: '/b' },
        { name: 'a', devicePath: '/x/../y' },
      ],
    },
    { volumes: [{ name: 'a' }, { name: 'b', persistentVolumeClaim: { claimName: 'x' } }] },
  ),
  'variables of files': withContainer(
    { env: [{ name: 'A', valueFrom: { fileKeyRef: { key: 'k', path: 'p', volumeName: 'a' } } }] },
    { volumes: [{ name: 'a' }] },
  ),
  'bad variables of files': withContainer(
    {
      env: [
        { name: 'A', valueFrom: { fileKeyRef: { key: 'k=', path: '../p', volumeName: 'A_b' } } },
        { name: 'B', valueFrom: { fileKeyRef: {} } },
        { name: 'C', valueFrom: { fileKeyRef: { key: 'k', path: 'p', volumeName: 'c' } } },
      ],
    },
    { volumes: [{ name: 'c', hostPath: { path: '/c' } }] },
  ),
  'signals to stop': withPod({
    containers: [{ ...container, lifecycle: { stopSignal: 'SIGTERM' } }],
    initContainers: [{ name: 'i', image: 'x', lifecycle: { stopSignal: 'SIGTERM' } }],
  }),
  'claims of resources': withContainer(
    { resources: { claims: [{ name: 'a', request: 'r' }] } },
    { resourceClaims: [{ name: 'a', resourceClaimName: 'x' }] },
  ),
  'bad claims of resources': withContainer(
    { resources: { claims: [{ name: 'a' }, { name: 'a', request: 'A_b' }, { name: '' }, { name: 'z' }] } },
    {
      resourceClaims: [{ name: 'a' }, { name: 'A_b', resourceClaimName: 'A_b', resourceClaimTemplateName: 'x' }],
      resources: { claims: [{ name: '' }] },
    },
  ),
  'profiles by annotation': withAnnotations({
    'seccomp.security.alpha.kubernetes.io/pod': 'runtime/default',
    'container.seccomp.security.alpha.kubernetes.io/c': 'localhost/a',
    'container.apparmor.security.beta.kubernetes.io/c': 'unconfined',
    'scheduler.alpha.kubernetes.io/critical-pod': '',
    'security.alpha.kubernetes.io/sysctls': 'x',
  }),
  'bad profiles by annotation': withAnnotations({
    'seccomp.security.alpha.kubernetes.io/pod': 'x',
    'container.seccomp.security.alpha.kubernetes.io/c': 'localhost//a/../b',
    'container.apparmor.security.beta.kubernetes.io/zz': 'x',
    'kubernetes.io/config.mirror': 'x',
    'controller.kubernetes.io/pod-deletion-cost': '2147483648',
  }),
  'profiles that do not match': withAnnotations(
    {
      'seccomp.security.alpha.kubernetes.io/pod': 'unconfined',
      'container.seccomp.security.alpha.kubernetes.io/c': 'localhost/b',
      'container.apparmor.security.beta.kubernetes.io/c': 'localhost/b',
    },
    {
      securityContext: {
        seccompProfile: { type: 'RuntimeDefault' },
        appArmorProfile: { type: 'Localhost', localhostProfile: 'a' },
      },
      containers: [{ ...container, securityContext: { seccompProfile: { type: 'Localhost', localhostProfile: 'a' } } }],
    },
  ),
  'a profile of the pod that matches': withAnnotations(
    { 'container.apparmor.security.beta.kubernetes.io/c': 'localhost/a' },
    { securityContext: { appArmorProfile: { type: 'Localhost', localhostProfile: 'a' } } },
  ),
  'old labels of nodes': withPod({
    nodeSelector: { 'beta.kubernetes.io/os': 'linux' },
    affinity: {
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: {
          nodeSelectorTerms: [
            { matchExpressions: [{ key: 'beta.kubernetes.io/arch', operator: 'In', values: ['a b'] }] },
          ],
        },
        preferredDuringSchedulingIgnoredDuringExecution: [
          {
            weight: 1,
            preference: {
              matchExpressions: [{ key: 'node-role.kubernetes.io/master', operator: 'In', values: ['a b'] }],
            },
          },
        ],
      },
    },
    topologySpreadConstraints: [
      { maxSkew: 1, topologyKey: 'failure-domain.beta.kubernetes.io/zone', whenUnsatisfiable: 'DoNotSchedule' },
    ],
  }),
  'affinity to nothing': withPod({
    affinity: {
      podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: 'a' }] },
      podAntiAffinity: {
        preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1, podAffinityTerm: { topologyKey: 'a' } }],
      },
    },
  }),
  'files in one place': withVolumes(
    {
      configMap: {
        name: 'm',
        items: [
          { key: 'a', path: 'x' },
          { key: 'b', path: 'x/y' },
          { key: 'c', path: 'x' },
        ],
      },
    },
    {
      secret: {
        secretName: 's',
        items: [
          { key: 'a', path: 'x/y' },
          { key: 'b', path: 'x' },
        ],
      },
    },
    {
      downwardAPI: {
        items: [
          { path: 'a', fieldRef: { fieldPath: 'metadata.name' } },
          { path: 'a', fieldRef: { fieldPath: 'metadata.name' } },
        ],
      },
    },
    {
      projected: {
        sources: [
          { configMap: { name: 'm', items: [{ key: 'a', path: 'x' }] } },
          { serviceAccountToken: { path: 'x/y' } },
          {},
          { secret: { name: 's', items: [{ key: 'a', path: 'x/z' }] } },
        ],
      },
    },
  ),
  'duplicate values': withPod({
    hostAliases: [{ ip: '1.1.1.1', hostnames: ['a'] }, { ip: '1.1.1.1', hostnames: ['b'] }, { ip: '::0001' }],
    imagePullSecrets: [{ name: 'a' }, { name: 'a' }, {}],
    dnsConfig: { nameservers: ['::0001'] },
    containers: [
      {
        ...container,
        env: [
          { name: 'A', value: 'x' },
          { name: 'A', value: '$(A)y' },
          { name: 'A', value: '$(A)' },
          { name: 'A', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
        ],
      },
    ],
  }),
  'ports in one place': withPod({
    containers: [
      {
        name: 'a',
        image: 'x',
        ports: [
          { containerPort: 80, name: 'web' },
          { containerPort: 80, hostPort: 8080 },
          { containerPort: 81, hostIP: '1.1.1.1' },
          { containerPort: 82, hostPort: 82 },
          { containerPort: 82, hostPort: 82, hostIP: '1.1.1.1' },
        ],
      },
      {
        name: 'b',
        image: 'x',
        ports: [
          { containerPort: 80, name: 'web' },
          { containerPort: 80, protocol: 'UDP' },
        ],
      },
    ],
  }),
  'fractions of bytes': withContainer(
    {
      resources: {
        limits: { memory: '1500m', 'ephemeral-storage': '2' },
        requests: { memory: '1.5', 'ephemeral-storage': '100m' },
      },
    },
    { overhead: { memory: '1.5' } },
  ),
  'a negative period of grace': withPod({ terminationGracePeriodSeconds: -1 }),
};
