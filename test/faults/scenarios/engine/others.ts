import { MultiClusterEngines } from '../../../../src/api/resources.js';
import {
  ConfigMaps,
  Deployments,
  Namespaces,
  Secrets,
  ServiceAccounts,
  Services,
} from '../../../../src/runtime/vocabulary/kinds.js';
import { slowly, step, wait, type Scenario } from '../../scenario.js';
import type { JsonRecord } from '../../../../src/runtime/vocabulary/json.js';
import { keyPair } from '../../hub/keypairs.js';
import { OTHERS } from '../../checks/enginewrites.js';
import {
  add,
  change,
  drop,
  edit,
  HELD,
  HOLDS,
  HOME,
  install,
  manifest,
  others,
  RELEASED,
  ROOM,
  scenario,
  uninstall,
  watchful,
} from './words.js';

/** Says which tool an object belongs to. */
const TOOL = 'app.kubernetes.io/managed-by';
const gateway = { namespace: HOME, name: 'gateway' };
/** What belongs to somebody is looked at every 10 s. */
const LOOK_SECONDS = 15;
const tls = { namespace: HOME, name: 'gateway-tls' };
const pairOf = (number: string): JsonRecord => {
  const { certificate, privateKey } = keyPair(number, Date.parse('2026-11-10T09:00:00Z'));
  return { 'tls.crt': btoa(certificate), 'tls.key': btoa(privateKey) };
};
const ports = [{ name: 'http', port: 80 }];
const service = { spec: { ports, selector: { app: 'old' } } };

/** What others do to an engine's objects, and what of theirs is in its way. */
export const BY_OTHERS: readonly Scenario[] = [
  watchful(
    'adoption',
    [
      install({ adoption: 'IfUnowned' }),
      slowly(
        LOOK_SECONDS,
        edit(Services, gateway, { metadata: { labels: { [TOOL]: null }, annotations: { [OTHERS]: null } } }),
      ),
      uninstall(),
    ],
    {
      given: async (hands) => {
        await hands.create(manifest(ServiceAccounts, gateway));
        await hands.create(
          manifest(Services, gateway, { ...service, metadata: { labels: { [TOOL]: 'Helm' }, ...others } }),
        );
      },
    },
  ),
  watchful(
    'refusal',
    [install(), slowly(LOOK_SECONDS, drop(Services, gateway)), change({ adoption: 'IfUnowned' }), uninstall()],
    {
      given: async (hands) => {
        await hands.create(manifest(Services, gateway, { ...service, metadata: others }));
        await hands.create(manifest(ServiceAccounts, { namespace: HOME, name: 'placement-controller' }));
      },
    },
  ),
  scenario('drift', [
    install(),
    drop(Deployments, gateway),
    edit(Deployments, gateway, { spec: { replicas: 3 } }),
    edit(Services, gateway, { spec: { ports: [{ name: 'https', port: 8443, targetPort: 'https' }] } }),
    edit(ServiceAccounts, gateway, { metadata: { ownerReferences: null } }),
    drop(ServiceAccounts, gateway),
  ]),
  scenario('certificate', [
    install(),
    drop(Secrets, { namespace: HOME, name: 'gateway-tls' }),
    edit(ConfigMaps, { namespace: HOME, name: 'gateway-ca' }, { data: { 'ca.crt': 'none' } }),
    edit(Secrets, { namespace: HOME, name: 'gateway-tls' }, { data: { 'tls.key': btoa('another key') } }),
    wait(61 * 24 * 60),
  ]),
  watchful('own-certificate', [
    add(Secrets, tls, { type: 'kubernetes.io/tls', metadata: others, data: pairOf('1') }),
    install(),
    slowly(LOOK_SECONDS, edit(Secrets, tls, { data: pairOf('2') })),
    slowly(LOOK_SECONDS, edit(Secrets, tls, { data: { 'tls.key': btoa('none') } })),
    drop(Secrets, tls),
  ]),
  scenario(
    'namespace-goes',
    [
      install({ targetNamespace: ROOM }),
      add(ConfigMaps, { namespace: ROOM, name: 'held' }, HELD),
      drop(Namespaces, { name: ROOM }),
      edit(ConfigMaps, { namespace: ROOM, name: 'held' }, RELEASED),
    ],
    HOLDS,
  ),
  scenario('invalid-spec', [
    install(),
    step('a spec is stored that admission refuses today', (hands) =>
      hands.overwrite(MultiClusterEngines, { name: 'engine' }, { tolerations: [{ operator: 'Sometimes' }] }),
    ),
    change({ tolerations: null }),
  ]),
];
