import { DEFAULT_LOCAL_CLUSTER } from '../../../../src/api/names.js';
import { ManagedClusters } from '../../../../src/api/resources.js';
import { AdmissionPolicyBindings, ConfigMaps, Secrets } from '../../../../src/runtime/vocabulary/kinds.js';
import { BROKEN } from '../../hub/deployments.js';
import { slowly, type Scenario } from '../../scenario.js';
import {
  add,
  addPullSecret,
  addTrustBundle,
  authority,
  change,
  drop,
  edit,
  HOME,
  install,
  others,
  pause,
  reconcile,
  ROOM,
  scenario,
  uninstall,
  update,
  watchful,
} from './words.js';

/** What the spec of an engine and the flags of the operator say. */
export const BY_SPEC: readonly Scenario[] = [
  scenario('install', [
    install(),
    change({ nodeSelector: { infra: '' }, tolerations: [{ key: 'infra', operator: 'Exists' }] }),
    change({
      nodeSelector: null,
      tolerations: [{ key: 'infra', value: 'yes', effect: 'NoExecute', tolerationSeconds: 30 }],
      availability: 'High',
      imagePullPolicy: 'Always',
    }),
    change({
      components: [
        {
          name: 'gateway',
          replicas: 3,
          resources: { requests: { cpu: 2, memory: '2Gi' }, limits: { memory: '2048Mi' } },
        },
        { name: 'console', enabled: true, resources: { limits: { cpu: '100m' } } },
      ],
      networkPolicies: { apiServerPorts: [8443, 6443] },
    }),
    reconcile('2026-11-22T12:00:00Z'),
    uninstall(),
  ]),
  watchful('policies', [
    install(),
    drop(AdmissionPolicyBindings, { name: 'multicluster-engine-agents' }),
    change({ availability: 'High' }),
    add(
      AdmissionPolicyBindings,
      { name: 'multicluster-engine-agents' },
      { spec: { policyName: 'multicluster-engine-agents', validationActions: ['Deny'] } },
    ),
  ]),
  scenario('own-namespace', [
    install({ targetNamespace: ROOM }),
    change({ imageRegistry: 'mirror.example.com' }),
    uninstall(),
    install({ targetNamespace: ROOM }),
  ]),
  scenario('second-engine', [install({}, 'first'), install({}, 'second'), uninstall('first'), uninstall('second')]),
  scenario('pull-secret', [
    install({ imagePullSecret: 'registry' }),
    addPullSecret('registry'),
    drop(Secrets, { namespace: HOME, name: 'registry' }),
    addPullSecret('registry', 'example.com/other'),
    change({ imagePullSecret: null }),
  ]),
  watchful('trust-bundle', [
    install({ trustBundle: { configMapName: 'authorities' } }),
    // It is read every 10 s until it can be used, then every 60 s.
    slowly(12, addTrustBundle('authorities', 0)),
    slowly(65, edit(ConfigMaps, { namespace: HOME, name: 'authorities' }, { data: { 'ca.crt': authority(1) } })),
    change({ trustBundle: null }),
  ]),
  scenario(
    'components',
    [
      install(),
      change({ components: [{ name: 'gateway', enabled: false }] }),
      change({ components: [{ name: 'console', enabled: true }] }),
      change({ components: null }),
      change({ networkPolicies: { enabled: false } }),
    ],
    {
      // No key is left that nobody serves with.
      stores: [
        { step: 1, type: Secrets, name: { namespace: HOME, name: 'gateway-tls' }, expect: 'gateway-tls' },
        { step: 2, type: Secrets, name: { namespace: HOME, name: 'gateway-tls' }, expect: undefined },
        { step: 2, type: ConfigMaps, name: { namespace: HOME, name: 'gateway-ca' }, expect: undefined },
      ],
    },
  ),
  scenario('pause', [install(), pause('true'), change({ nodeSelector: { infra: '' } }), pause(null)]),
  watchful('local-cluster', [
    install({ localCluster: { enabled: true } }),
    change({ localCluster: { name: 'headquarters' } }),
    change({ localCluster: null }),
    drop(ManagedClusters, { name: DEFAULT_LOCAL_CLUSTER }),
    add(ManagedClusters, { name: DEFAULT_LOCAL_CLUSTER }, { metadata: others, spec: {} }),
    change({ localCluster: { enabled: true } }),
  ]),
  watchful('broken-update', [
    install(),
    slowly(650, update(`0.2.0${BROKEN}`)),
    slowly(650, change({ availability: 'High' })),
    update('0.3.0'),
  ]),
  scenario('update', [install(), update('0.2.0'), change({ availability: 'High' }), update('0.1.0')]),
];
