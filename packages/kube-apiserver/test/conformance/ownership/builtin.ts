import type { Json, JsonObject } from '@multicluster-engine/values/json';
import { builtinSchema } from '@multicluster-engine/values/schema/builtin';
import type { Dice } from '../../../testing/random.js';
import type { Subject } from './subject.js';
import { picked } from './subject.js';

function meta(dice: Dice): JsonObject {
  return { metadata: picked(dice, 0.2, { labels: () => texts(dice), annotations: () => texts(dice) }) };
}

function texts(dice: Dice): JsonObject {
  return Object.fromEntries(dice.some(['x', 'y', 'z'], dice.between(0, 2)).map((key) => [key, dice.pick(['1', '2'])]));
}

export const CONFIG_MAP: Subject = {
  resource: {
    group: '',
    version: 'v1',
    kind: 'ConfigMap',
    custom: false,
    schema: builtinSchema('io.k8s.api.core.v1.ConfigMap'),
    subresources: [],
  },
  path: '/api/v1/namespaces/default/configmaps',
  complete: undefined,
  part: (dice) => ({
    ...meta(dice),
    ...picked(dice, 0.6, { data: () => texts(dice), binaryData: () => ({ b: dice.pick(['AA==', 'AQ==']) }) }),
  }),
  whole: (dice) => ({ ...meta(dice), data: texts(dice) }),
  status: undefined,
  removable: [['data'], ['data', 'x'], ['metadata', 'labels'], ['metadata', 'annotations', 'y']],
};

export const SERVICE: Subject = {
  resource: {
    group: '',
    version: 'v1',
    kind: 'Service',
    custom: false,
    schema: builtinSchema('io.k8s.api.core.v1.Service'),
    subresources: [{ name: 'status' }],
  },
  path: '/api/v1/namespaces/default/services',
  complete: undefined,
  part: (dice) => ({
    ...meta(dice),
    spec: picked(dice, 0.5, {
      ports: () => ports(dice),
      selector: () => texts(dice),
      publishNotReadyAddresses: () => dice.chance(0.5),
      sessionAffinityConfig: () => ({ clientIP: { timeoutSeconds: dice.between(10, 11) } }),
      sessionAffinity: () => dice.pick(['None', 'ClientIP']),
    }),
  }),
  whole: (dice) => ({ ...meta(dice), spec: { selector: texts(dice), ports: ports(dice) } }),
  status: (dice) => ({ conditions: conditions(dice) }),
  removable: [
    ['spec', 'selector'],
    ['spec', 'selector', 'x'],
    ['spec', 'sessionAffinityConfig'],
  ],
};

function ports(dice: Dice): Json {
  return dice.some([80, 81, 82], dice.between(1, 3)).map((port) => ({
    name: `p${port}`,
    port,
    ...picked(dice, 0.4, {
      protocol: () => dice.pick(['TCP', 'UDP']),
      targetPort: () => dice.pick<Json>([port, 8080, 'web']),
    }),
  }));
}

function conditions(dice: Dice): Json {
  return dice.some(['A', 'B'], dice.between(0, 2)).map((type) => ({
    type,
    status: dice.pick(['True', 'False']),
    reason: 'R',
    message: dice.pick(['m', '']),
    lastTransitionTime: '2026-01-01T00:00:00Z',
  }));
}

export const DEPLOYMENT: Subject = {
  resource: {
    group: 'apps',
    version: 'v1',
    kind: 'Deployment',
    custom: false,
    schema: builtinSchema('io.k8s.api.apps.v1.Deployment'),
    subresources: [{ name: 'status' }, { name: 'scale' }],
  },
  path: '/apis/apps/v1/namespaces/default/deployments',
  complete: undefined,
  part: (dice) => ({
    ...meta(dice),
    spec: {
      ...picked(dice, 0.3, deploymentFields(dice)),
      ...picked(dice, 0.7, { template: () => template(dice, 0.4) }),
    },
  }),
  whole: (dice) => ({
    ...meta(dice),
    spec: {
      ...picked(dice, 0.3, deploymentFields(dice)),
      selector: { matchLabels: { app: 'x' } },
      template: template(dice, 1),
    },
  }),
  status: (dice) => ({ replicas: dice.between(0, 2), conditions: deploymentConditions(dice) }),
  removable: [
    ['spec', 'strategy'],
    ['spec', 'replicas'],
    ['spec', 'template', 'spec', 'volumes'],
    ['spec', 'template', 'spec', 'nodeSelector'],
    ['spec', 'template', 'metadata', 'annotations'],
  ],
};

function deploymentConditions(dice: Dice): Json {
  return dice.some(['Available', 'Progressing'], dice.between(0, 2)).map((type) => ({
    type,
    status: dice.pick(['True', 'False']),
    lastUpdateTime: '2026-01-01T00:00:00Z',
    lastTransitionTime: '2026-01-01T00:00:00Z',
  }));
}

function deploymentFields(dice: Dice): Record<string, () => Json> {
  return {
    replicas: () => dice.between(0, 2),
    paused: () => dice.chance(0.5),
    minReadySeconds: () => dice.between(0, 2),
    strategy: () =>
      dice.pick<Json>([
        { type: 'Recreate' },
        { type: 'RollingUpdate' },
        { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: '10%' } },
      ]),
  };
}

function template(dice: Dice, share: number): JsonObject {
  return {
    ...picked(dice, share, {
      metadata: () => ({
        labels: { app: 'x', ...texts(dice) },
        ...picked(dice, 0.3, { annotations: () => texts(dice) }),
      }),
    }),
    spec: {
      ...picked(dice, share, { containers: () => containers(dice) }),
      ...picked(dice, 0.25, {
        nodeSelector: () => texts(dice),
        volumes: () =>
          dice
            .some(['v', 'w'], dice.between(0, 2))
            .map((name) => ({ name, ...dice.pick<JsonObject>([{ emptyDir: {} }, { configMap: { name: 'c' } }]) })),
        tolerations: () => [{ key: dice.pick(['t', 'u']), operator: 'Exists' }],
        imagePullSecrets: () => dice.some(['s', 't'], 1).map((name) => ({ name })),
        hostAliases: () => [{ ip: '1.1.1.1', hostnames: ['h'] }],
        securityContext: () => dice.pick<Json>([{}, { runAsNonRoot: true }]),
        terminationGracePeriodSeconds: () => dice.between(10, 12),
        affinity: () => ({ nodeAffinity: {} }),
      }),
    },
  };
}

function containers(dice: Dice): Json {
  return dice.some(['a', 'b', 'c'], dice.between(1, 2)).map((name) => ({
    name,
    image: dice.pick(['i:1', 'i:2']),
    ...picked(dice, 0.25, {
      args: () => dice.some(['x', 'y'], dice.between(0, 2)),
      env: () =>
        dice
          .some(['E', 'F', 'G'], dice.between(0, 3))
          .map((key) => ({ name: key, ...picked(dice, 0.7, { value: () => dice.pick(['1', '']) }) })),
      ports: () =>
        dice.some([80, 81], dice.between(0, 2)).map((containerPort) => ({
          containerPort,
          ...picked(dice, 0.3, { protocol: () => dice.pick(['TCP', 'UDP']), name: () => `n${containerPort}` }),
        })),
      resources: () =>
        dice.pick<Json>([{}, { limits: { cpu: '1' } }, { limits: { cpu: '1000m' }, requests: { memory: '1Gi' } }]),
      volumeMounts: () =>
        dice.some(['/a', '/b'], dice.between(0, 2)).map((mountPath) => ({ name: dice.pick(['v', 'w']), mountPath })),
      readinessProbe: () => ({ httpGet: { path: '/', port: dice.pick<Json>([80, 'n80']) } }),
      securityContext: () => dice.pick<Json>([{}, { capabilities: { drop: ['ALL'] } }]),
    }),
  }));
}
