import { container, POD_VARIANTS, withContainer, withPod } from './podvariants.js';
import { NULL, type KindVariants } from './variants.js';

export const WORKLOAD_VARIANTS: Readonly<Record<string, KindVariants>> = {
  Deployment: {
    path: '/apis/apps/v1/namespaces/default/deployments',
    base: {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'a' },
      spec: {
        selector: { matchLabels: { a: 'b' } },
        template: { metadata: { labels: { a: 'b' } }, spec: { containers: [container] } },
      },
    },
    create: {
      plain: {},
      'no spec': { spec: null },
      'zero values given': { spec: { paused: false, minReadySeconds: 0, strategy: {} }, status: { replicas: 2 } },
      'nulls given': {
        spec: { replicas: NULL, template: { metadata: { creationTimestamp: NULL }, spec: { securityContext: NULL } } },
      },
      'no replicas': { spec: { replicas: 0 } },
      'negative numbers': {
        spec: { replicas: -1, minReadySeconds: -1, revisionHistoryLimit: -1, progressDeadlineSeconds: -1 },
      },
      'a deadline that is too short': { spec: { minReadySeconds: 600 } },
      recreate: { spec: { strategy: { type: 'Recreate' } } },
      'recreate and roll': { spec: { strategy: { type: 'Recreate', rollingUpdate: { maxSurge: 1 } } } },
      'another strategy': { spec: { strategy: { type: 'Foo' } } },
      'another strategy with limits': { spec: { strategy: { type: 'Foo', rollingUpdate: { maxSurge: '1%' } } } },
      'roll nothing': { spec: { strategy: { rollingUpdate: { maxSurge: 0, maxUnavailable: 0 } } } },
      'roll badly': { spec: { strategy: { rollingUpdate: { maxSurge: 'x', maxUnavailable: '101%' } } } },
      'no selector': { spec: { selector: null } },
      'empty selector': { spec: { selector: { matchLabels: null } } },
      'bad selector': { spec: { selector: { matchExpressions: [{ key: 'x', operator: 'Foo' }] } } },
      'a selector that misses': { spec: { selector: { matchLabels: { a: 'c' } } } },
      'a selector and no labels': { spec: { template: { metadata: null } } },
      'a name with dots': { metadata: { name: 'a.b' } },
      'bad labels of pods': {
        spec: {
          template: {
            metadata: {
              labels: { 'a b': 'c d' },
              annotations: { 'x y': 'z', 'controller.kubernetes.io/pod-deletion-cost': 'x' },
            },
          },
        },
      },
      'no containers': withPod({ containers: [] }),
      'null container': withPod({ containers: [NULL] }),
      'bad containers': withPod({ containers: [{}, { name: 'A_b', image: 'x' }, container, container] }),
      'restart never': withPod({ restartPolicy: 'Never' }),
      'bad policies': withPod({ restartPolicy: 'Foo', dnsPolicy: 'Bar' }),
      deadline: withPod({ activeDeadlineSeconds: 0 }),
      'latest image': withContainer({ image: 'x:latest' }),
      'tagged image': withContainer({ image: 'reg.example.com:5000/a/b:v1' }),
      'image by digest': withContainer({
        image: 'x@sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef',
      }),
      'image with capitals': withContainer({ image: 'Foo' }),
      'image of a port': withContainer({ image: 'localhost:5000/x' }),
      'policies of the container': withContainer({ imagePullPolicy: 'Foo', terminationMessagePolicy: 'Bar' }),
      ports: withContainer({
        ports: [{ containerPort: 80 }, { containerPort: 81, name: 'web', protocol: 'UDP', hostPort: 81 }],
      }),
      'bad ports': withContainer({
        ports: [
          { containerPort: 0 },
          { containerPort: 70000, name: 'UP' },
          { containerPort: 1, name: 'x', protocol: 'X' },
          { containerPort: 2, name: 'x', hostPort: 70000 },
          { containerPort: 3, hostPort: 5 },
          { containerPort: 4, hostPort: 5 },
        ],
      }),
      'ports of the host': withContainer(
        { ports: [{ containerPort: 80 }, { containerPort: 81, hostPort: 82 }] },
        { hostNetwork: true },
      ),
      variables: withContainer({
        env: [
          { name: 'A', value: '' },
          { name: 'B', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
          { name: 'C', valueFrom: { secretKeyRef: { name: 's', key: 'k' } } },
          { name: 'D', valueFrom: { resourceFieldRef: { resource: 'limits.cpu' } } },
          { name: 'E', valueFrom: { fieldRef: { fieldPath: "metadata.labels['a']" } } },
        ],
        envFrom: [{ configMapRef: { name: 'm' } }, { prefix: 'p', secretRef: { name: 's', optional: true } }],
      }),
      'bad variables': withContainer({
        env: [
          {},
          { name: 'A=B' },
          { name: 'A', value: 'x', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
          { name: 'B', valueFrom: {} },
          { name: 'C', valueFrom: { fieldRef: { fieldPath: 'spec.foo' } } },
          { name: 'D', valueFrom: { fieldRef: { fieldPath: 'metadata.labels' } } },
          {
            name: 'E',
            valueFrom: { secretKeyRef: { name: 'A_b', key: 'a b' }, configMapKeyRef: { name: 'x', key: '' } },
          },
          { name: 'F', valueFrom: { resourceFieldRef: { resource: 'limits.foo' } } },
          { name: 'G', valueFrom: { resourceFieldRef: { resource: 'limits.cpu', divisor: '1Mi' } } },
          { name: 'H', valueFrom: { fieldRef: { fieldPath: '' } } },
          { name: 'I', valueFrom: { fieldRef: { fieldPath: "spec.nodeName['x']" } } },
          { name: 'J', valueFrom: { fieldRef: { apiVersion: 'v2', fieldPath: 'metadata.name' } } },
        ],
        envFrom: [
          {},
          { configMapRef: { name: '' }, secretRef: { name: 'A_b' } },
          { prefix: 'a=b', configMapRef: { name: 'x' } },
        ],
      }),
      resources: withContainer({
        resources: {
          limits: { cpu: '1000m', memory: '1024Mi', 'example.com/gpu': 1 },
          requests: { cpu: '0.1', memory: '1e3', 'example.com/gpu': 1 },
        },
      }),
      'odd quantities': withContainer({
        resources: { limits: { cpu: '0.0001', memory: '1.5Gi', 'ephemeral-storage': '1500M' } },
      }),
      'bad resources': withContainer({
        resources: {
          limits: { cpu: '-1', foo: '1', memory: '1Gi', 'example.com/gpu': '1.5' },
          requests: { memory: '2Gi', 'example.com/x': '1', pods: 1 },
        },
      }),
      probes: withContainer({
        livenessProbe: { httpGet: { port: 80 } },
        readinessProbe: { tcpSocket: { port: 'web' }, failureThreshold: 5 },
        startupProbe: { grpc: { port: 1 } },
        lifecycle: {
          preStop: { exec: { command: ['x'] } },
          postStart: { httpGet: { port: 1, path: 'x', scheme: 'HTTPS' } },
        },
      }),
      'bad probes': withContainer({
        livenessProbe: {
          httpGet: { port: 0, scheme: 'FTP', httpHeaders: [{ name: 'a b', value: '' }] },
          successThreshold: 2,
        },
        readinessProbe: { terminationGracePeriodSeconds: 0, exec: {} },
        startupProbe: { tcpSocket: { port: 'A' }, exec: { command: ['x'] }, periodSeconds: -1, failureThreshold: -1 },
        lifecycle: { preStop: {}, postStart: { sleep: { seconds: 100 } } },
      }),
      volumes: withContainer(
        {
          volumeMounts: [
            { name: 'a', mountPath: '/a' },
            { name: 'b', mountPath: '/b', readOnly: true, subPath: 'x' },
          ],
        },
        {
          volumes: [
            { name: 'a' },
            { name: 'b', secret: { secretName: 's', items: [{ key: 'k', path: 'p' }] } },
            { name: 'c', configMap: { name: 'm' } },
            { name: 'd', hostPath: { path: '/x' } },
            { name: 'e', downwardAPI: { items: [{ path: 'l', fieldRef: { fieldPath: 'metadata.labels' } }] } },
            { name: 'f', persistentVolumeClaim: { claimName: 'p' } },
            {
              name: 'g',
              projected: {
                sources: [
                  { serviceAccountToken: { path: 't' } },
                  { configMap: { name: 'm' } },
                  { downwardAPI: { items: [{ path: 'l', fieldRef: { fieldPath: 'metadata.name' } }] } },
                ],
              },
            },
            { name: 'h', emptyDir: { sizeLimit: '1000m', medium: 'Memory' } },
            { name: 'i', iscsi: { targetPortal: 'x:1', iqn: 'iqn.2001-04.com.example:a', lun: 0 } },
          ],
        },
      ),
      'bad volumes': withContainer(
        {
          volumeMounts: [
            { name: 'zz', mountPath: '/a' },
            { name: '', mountPath: '' },
            { name: 'ok', mountPath: '/a', subPath: '../x', subPathExpr: '/y' },
            { name: 'ok', mountPath: '/m', mountPropagation: 'Bidirectional' },
            { name: 'ok', mountPath: '/n', mountPropagation: 'Foo' },
          ],
        },
        {
          volumes: [
            { name: '' },
            { name: 'A_b' },
            { name: 'ok' },
            { name: 'ok' },
            { name: 'two', emptyDir: {}, hostPath: { path: '/x' }, configMap: { name: 'm' } },
            { name: 's', secret: {} },
            { name: 'c', configMap: { defaultMode: 1000 } },
            {
              name: 'i',
              secret: {
                secretName: 's',
                items: [
                  { key: '', path: '' },
                  { key: 'k', path: '/abs', mode: -1 },
                  { key: 'k', path: '..x' },
                ],
              },
            },
            { name: 'h', hostPath: { path: '' } },
            { name: 'h2', hostPath: { path: '/a/../b', type: 'Foo' } },
            {
              name: 'p',
              projected: {
                defaultMode: 9999,
                sources: [
                  { serviceAccountToken: { path: '', expirationSeconds: 5 } },
                  { secret: { items: [{ key: 'a', path: 'x' }] } },
                  { configMap: { name: 'm', items: [{ key: 'a', path: 'x' }] }, secret: { name: 's' } },
                ],
              },
            },
            {
              name: 'd',
              downwardAPI: {
                items: [
                  { path: 'x' },
                  { path: 'y', fieldRef: { fieldPath: 'spec.nodeName' } },
                  { path: 'z', resourceFieldRef: { resource: 'limits.cpu' } },
                ],
              },
            },
            { name: 'pvc', persistentVolumeClaim: {} },
            { name: 'e', emptyDir: { sizeLimit: '-1' } },
          ],
        },
      ),
      'init containers': withPod({
        initContainers: [
          { name: 'i', image: 'x' },
          { name: 's', image: 'x', restartPolicy: 'Always', readinessProbe: { exec: { command: ['x'] } } },
        ],
      }),
      'bad init containers': withPod({
        initContainers: [
          { name: 'c', image: 'x' },
          { name: 'i', image: '', livenessProbe: { exec: { command: ['x'] } }, lifecycle: {} },
        ],
      }),
      'ephemeral containers': withPod({ ephemeralContainers: [{ name: 'e', image: 'x' }] }),
      security: withContainer(
        {
          securityContext: {
            runAsUser: 5,
            allowPrivilegeEscalation: false,
            capabilities: { drop: ['ALL'] },
            seccompProfile: { type: 'RuntimeDefault' },
          },
        },
        { securityContext: { runAsNonRoot: true, fsGroup: 5 } },
      ),
      'bad security': withContainer(
        {
          securityContext: {
            privileged: true,
            runAsUser: -1,
            allowPrivilegeEscalation: false,
            procMount: 'Foo',
            seccompProfile: { type: 'Localhost' },
          },
        },
        {
          securityContext: {
            fsGroup: -1,
            supplementalGroups: [-1],
            fsGroupChangePolicy: 'X',
            seccompProfile: { type: 'RuntimeDefault', localhostProfile: 'x' },
          },
        },
      ),
      account: withPod({ serviceAccountName: 'x' }),
      'account by its old name': withPod({ serviceAccount: 'x' }),
      'bad names': withPod({
        serviceAccountName: 'A_b',
        nodeName: 'A_b',
        hostname: 'a.b',
        subdomain: 'A',
        priorityClassName: 'A_b',
        runtimeClassName: 'A_b',
        preemptionPolicy: 'Foo',
      }),
      scheduling: withPod({
        nodeSelector: { a: 'b' },
        tolerations: [
          { key: 'a', operator: 'Exists' },
          { operator: 'Exists' },
          { key: 'b', value: 'c', effect: 'NoExecute', tolerationSeconds: 5 },
        ],
        affinity: {
          nodeAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: {
              nodeSelectorTerms: [{ matchExpressions: [{ key: 'a', operator: 'In', values: ['b'] }] }],
            },
          },
          podAntiAffinity: {
            preferredDuringSchedulingIgnoredDuringExecution: [
              { weight: 5, podAffinityTerm: { topologyKey: 'a', labelSelector: { matchLabels: { a: 'b' } } } },
            ],
          },
        },
        topologySpreadConstraints: [
          { maxSkew: 1, topologyKey: 'a', whenUnsatisfiable: 'DoNotSchedule', labelSelector: {} },
        ],
      }),
      'bad scheduling': withPod({
        nodeSelector: { 'a b': 'c d' },
        tolerations: [
          { key: 'a b', operator: 'Foo' },
          { value: 'x' },
          { key: 'a', operator: 'Exists', value: 'x', effect: 'Foo', tolerationSeconds: 1 },
          { key: 'a', value: 'a b' },
          { key: 'a', operator: 'Lt', value: '1' },
        ],
        affinity: {
          nodeAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [] },
            preferredDuringSchedulingIgnoredDuringExecution: [
              {
                weight: 0,
                preference: {
                  matchExpressions: [
                    { key: '', operator: 'Gt', values: [] },
                    { key: 'a', operator: 'In' },
                    { key: 'a', operator: 'X' },
                    { key: 'a', operator: 'Exists', values: ['a b'] },
                  ],
                  matchFields: [{ key: 'x', operator: 'In', values: [] }],
                },
              },
            ],
          },
          podAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: [
              { topologyKey: '', namespaces: ['A_b'], labelSelector: { matchLabels: { 'a b': 'c' } } },
            ],
            preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 101, podAffinityTerm: { topologyKey: 'a b' } }],
          },
        },
        topologySpreadConstraints: [
          { maxSkew: 0, topologyKey: '', whenUnsatisfiable: 'X', minDomains: 0 },
          { maxSkew: 1, topologyKey: 'a', whenUnsatisfiable: 'ScheduleAnyway', nodeAffinityPolicy: 'X' },
          { maxSkew: 1, topologyKey: 'a', whenUnsatisfiable: 'ScheduleAnyway', minDomains: 1 },
        ],
      }),
      dns: withPod({
        dnsPolicy: 'None',
        dnsConfig: { nameservers: ['1.1.1.1'], searches: ['a.b.', '.'], options: [{ name: 'ndots', value: '1' }] },
      }),
      'no dns': withPod({ dnsPolicy: 'None' }),
      'bad dns': withPod({
        dnsConfig: { nameservers: ['x', '1', '2', '01.1.1.1'], searches: ['A b'], options: [{}] },
        hostAliases: [{ ip: 'x', hostnames: ['A_b'] }],
        readinessGates: [{ conditionType: 'a b' }],
      }),
      'pull secrets': withPod({
        imagePullSecrets: [{ name: 'x' }],
        terminationGracePeriodSeconds: 0,
        enableServiceLinks: false,
      }),
      ...POD_VARIANTS,
    },
    update: {
      'replicas change': { next: { spec: { replicas: 3 } } },
      'annotation changes': { next: { metadata: { annotations: { a: 'b' } } } },
      'label changes': { next: { metadata: { labels: { a: 'b' } } } },
      'selector changes': {
        next: {
          spec: { selector: { matchLabels: { a: 'b', c: 'd' } }, template: { metadata: { labels: { c: 'd' } } } },
        },
      },
      'status by the way': { next: { status: { replicas: 3 } } },
      status: {
        next: {
          metadata: { labels: { x: 'y' }, annotations: { x: 'y' } },
          spec: { replicas: 7 },
          status: {
            observedGeneration: 1,
            replicas: 3,
            updatedReplicas: 3,
            readyReplicas: 2,
            availableReplicas: 1,
            unavailableReplicas: 2,
            conditions: [{ type: 'Available', status: 'False', lastUpdateTime: '2020-01-01T00:00:00Z' }],
          },
        },
        subresource: 'status',
      },
      'bad status': {
        next: {
          status: {
            replicas: 1,
            updatedReplicas: 2,
            readyReplicas: 2,
            availableReplicas: 3,
            unavailableReplicas: -1,
            collisionCount: -1,
          },
        },
        subresource: 'status',
      },
      'nothing changes': { next: {} },
      'a template to warn of': { next: { spec: { template: { spec: { terminationGracePeriodSeconds: -1 } } } } },
      'a template to warn of that stays': {
        old: { spec: { template: { spec: { terminationGracePeriodSeconds: -1 } } } },
        next: { metadata: { labels: { a: 'b' } } },
      },
      'a template that somebody else warned of': {
        old: { spec: { template: { spec: { terminationGracePeriodSeconds: -1 } } } },
        next: { spec: { replicas: 3 } },
      },
      'a bad template': { next: { spec: { template: { spec: { containers: [{ name: 'c', image: '' }] } } } } },
    },
  },
  ReplicaSet: {
    path: '/apis/apps/v1/namespaces/default/replicasets',
    base: {
      apiVersion: 'apps/v1',
      kind: 'ReplicaSet',
      metadata: { name: 'a' },
      spec: {
        selector: { matchLabels: { a: 'b' } },
        template: { metadata: { labels: { a: 'b' } }, spec: { containers: [container] } },
      },
    },
    create: {
      plain: {},
      'no spec': { spec: null },
      'zero values given': { spec: { minReadySeconds: 0 }, status: { replicas: 2 } },
      'negative numbers': { spec: { replicas: -1, minReadySeconds: -1 } },
      'no selector': { spec: { selector: null } },
      'empty selector': { spec: { selector: { matchLabels: null } } },
      'bad selector': { spec: { selector: { matchExpressions: [{ key: 'x', operator: 'Foo' }] } } },
      'a selector that misses': { spec: { selector: { matchLabels: { a: 'c' } } } },
      'a name with dots': { metadata: { name: 'a.b' } },
      'pods that end': withPod({ restartPolicy: 'Never', activeDeadlineSeconds: 5 }),
      'a template to warn of': withPod({ terminationGracePeriodSeconds: -1 }),
    },
    update: {
      'replicas change': { next: { spec: { replicas: 3 } } },
      'annotation changes': { next: { metadata: { annotations: { a: 'b' } } } },
      'selector changes': {
        next: {
          spec: { selector: { matchLabels: { a: 'b', c: 'd' } }, template: { metadata: { labels: { c: 'd' } } } },
        },
      },
      'status by the way': { next: { status: { replicas: 3 } } },
      status: {
        next: {
          metadata: { labels: { x: 'y' }, annotations: { x: 'y' } },
          spec: { replicas: 7 },
          status: {
            observedGeneration: 1,
            replicas: 3,
            fullyLabeledReplicas: 3,
            readyReplicas: 2,
            availableReplicas: 1,
            conditions: [{ type: 'ReplicaFailure', status: 'False' }],
          },
        },
        subresource: 'status',
      },
      'bad status': {
        next: {
          status: {
            replicas: 1,
            fullyLabeledReplicas: 2,
            readyReplicas: 2,
            availableReplicas: 3,
            terminatingReplicas: -1,
            observedGeneration: -1,
          },
        },
        subresource: 'status',
      },
      'a template to warn of': { next: withPod({ terminationGracePeriodSeconds: -1 }) },
    },
  },
  PodTemplate: {
    path: '/api/v1/namespaces/default/podtemplates',
    base: {
      apiVersion: 'v1',
      kind: 'PodTemplate',
      metadata: { name: 'a' },
      template: { metadata: { labels: { a: 'b' } }, spec: { containers: [container] } },
    },
    create: {
      plain: {},
      'no template': { template: null },
      'a name with dots': { metadata: { name: 'a.b', generation: 5 } },
      'pods that end': { template: { spec: { restartPolicy: 'Never', activeDeadlineSeconds: 5 } } },
      'bad pods': {
        template: {
          metadata: { labels: { 'a b': 'c d' } },
          spec: { restartPolicy: 'Foo', containers: [{ name: 'A_b' }], ephemeralContainers: [container] },
        },
      },
      'a feature that is off': {
        template: { spec: { containers: [{ ...container, lifecycle: { stopSignal: 'SIGTERM' } }] } },
      },
      'a template to warn of': { template: { spec: { terminationGracePeriodSeconds: -1 } } },
    },
    update: {
      'template changes': { next: { template: { spec: { restartPolicy: 'Never' } } } },
      'annotation changes': { next: { metadata: { annotations: { a: 'b' } } } },
      'a template to warn of': { next: { template: { spec: { terminationGracePeriodSeconds: -1 } } } },
      'a bad template': { next: { template: { spec: { containers: [{ name: 'c', image: '' }] } } } },
    },
  },
};
