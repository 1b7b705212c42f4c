import type { KubeObject, ResourceType } from '../../src/runtime/vocabulary/meta.js';
import { MultiClusterEngines } from '../../src/api/resources.js';
import {
  ConfigMaps,
  Deployments,
  Namespaces,
  Pods,
  Secrets,
  ServiceAccounts,
} from '../../src/runtime/vocabulary/kinds.js';
import { treeAt } from '../../src/domain/engine/manifest/manifest.js';
import type { ApplyOptions } from '../../src/runtime/client/client.js';
import { ApiError, type StatusCause } from '../../src/runtime/errors.js';
import type { Result } from '../../src/runtime/controller/result.js';
import { replaced, EngineRig, type EngineRigOptions } from '../support/rigs/controllers/engine.js';
import { DAY_MS } from '../support/builders/certificate.js';
import { NAMESPACE, NOW } from '../support/builders/engine.js';
import { failure, type FakeCall } from '../support/fakes/api.js';
import { describeRecorded, type Case } from './recorded.js';

const DEPLOYMENT = { namespace: NAMESPACE, name: 'placement-controller' };
const PAUSED = { annotations: { 'multicluster.platform.io/paused': 'true' } };

/** The status of engine `hub`, the events since `from`, and how the last pass ended. Rows of objects that are as they should be are left out. */
function outputOf(stage: EngineRig, from: number, result: Result | undefined): object {
  const events = stage.events.slice(from).map(({ regarding: _, ...event }) => event);
  if (!stage.exists()) return { events, result };
  const { conditions, components = [], ...rest } = stage.engine().status ?? {};
  return {
    rest,
    conditions,
    rows: components.filter((row) => row.reason !== 'Applied' && row.reason !== 'Available'),
    events,
    result,
  };
}

/** More than any of these hubs needs to come to rest; refused writes are tried again for ever. */
async function passes(stage: EngineRig): Promise<Result> {
  for (let pass = 0; pass < 3; pass++) await stage.pass();
  return stage.pass();
}

/** A new hub, and what `act` does there. */
function fromNew(sentence: string, act: (stage: EngineRig) => unknown, options?: EngineRigOptions): Case {
  return [
    sentence,
    async () => {
      const stage = new EngineRig(options);
      await act(stage);
      return outputOf(stage, 0, await passes(stage));
    },
  ];
}

/** An engine that is installed and ready, and what `act` and then the reconciler do there. */
function fromReady(sentence: string, act: (stage: EngineRig) => unknown): Case {
  return [
    sentence,
    async () => {
      const stage = new EngineRig();
      await stage.install();
      await stage.clock.advance(10_000);
      const from = stage.events.length;
      await act(stage);
      return outputOf(stage, from, await passes(stage));
    },
  ];
}

/** An engine that is being deleted, `act` done before; at most ten passes, with garbage collection between them. */
function removed(sentence: string, act: (stage: EngineRig) => unknown): Case {
  return [
    sentence,
    async () => {
      const stage = new EngineRig();
      await stage.install();
      await stage.clock.advance(10_000);
      const from = stage.events.length;
      await act(stage);
      stage.remove();
      let result: Result | undefined;
      for (let round = 0; round < 10 && stage.exists(); round++) {
        result = await stage.pass();
        stage.collect();
      }
      return outputOf(stage, from, result);
    },
  ];
}

/** The answer 403 to every call that `calls` names; `may`: whether a review of the right says yes. */
function forbid(
  stage: EngineRig,
  calls: (call: FakeCall) => boolean,
  { may = false, causes = [] }: { may?: boolean; causes?: readonly StatusCause[] } = {},
): void {
  stage.api.reviewAccess = () => may;
  stage.api.before = (call) => {
    if (!calls(call)) return;
    throw new ApiError({
      kind: 'Forbidden',
      message: 'the words of the API server',
      call: { verb: call.verb, resource: call.type.plural },
      status: 403,
      reason: 'Forbidden',
      causes,
    });
  };
}

const is =
  (verb: FakeCall['verb'], type: FakeCall['type']) =>
  (call: FakeCall): boolean =>
    call.verb === verb && call.type === type;

const scaledTo =
  (replicas: number) =>
  (object: KubeObject): object => ({ spec: { ...treeAt(object, 'spec'), replicas } });

function editDeployment(stage: EngineRig, change: (object: KubeObject) => object): void {
  const object = stage.api.peek<KubeObject>(Deployments, DEPLOYMENT);
  if (object === undefined) throw new Error('there is no Deployment');
  stage.api.put(Deployments, { ...object, ...change(object) });
}

const extra = (stage: EngineRig): KubeObject => ({
  metadata: {
    namespace: NAMESPACE,
    name: 'old',
    labels: { 'multicluster.platform.io/engine': 'hub' },
    ownerReferences: [
      {
        apiVersion: 'multicluster.platform.io/v1alpha1',
        kind: 'MultiClusterEngine',
        name: 'hub',
        uid: stage.engine().metadata.uid ?? '',
        controller: true,
      },
    ],
  },
});

const installs: readonly Case[] = [
  fromNew('an installation from its beginning to its end', (stage) => stage.install()),
  fromNew('an installation whose Deployments have not come up yet', (stage) => stage.create()),
  fromNew('an installation whose ServiceAccounts the operator may not write', (stage) => {
    stage.create();
    forbid(stage, is('apply', ServiceAccounts));
  }),
  fromNew('an installation beside an older engine', (stage) => {
    stage.create({}, { name: 'first', creationTimestamp: '2025-01-01T00:00:00Z' });
    stage.create({}, { creationTimestamp: '2025-06-01T00:00:00Z' });
  }),
  fromNew('a spec that cannot be served', (stage) => stage.create({ targetNamespace: 'kube-system' })),
  fromNew('a namespace that is not the one of --namespace', (stage) => stage.create(), {
    settings: { onlyNamespace: 'other' },
  }),
  fromNew('a pull secret that does not exist', (stage) => stage.install({ imagePullSecret: 'pull' })),
  fromNew('a finalizer that the operator may not set', (stage) => {
    stage.create();
    forbid(stage, is('patchMetadata', MultiClusterEngines));
  }),
  fromNew('an account that was there before, which the spec lets the engine take over', async (stage) => {
    stage.api.put(ServiceAccounts, { metadata: DEPLOYMENT });
    await stage.install({ adoption: 'IfUnowned' });
  }),
  fromNew('an empty serving Secret that somebody else made', async (stage) => {
    stage.api.put(Namespaces, { metadata: { name: NAMESPACE } });
    stage.api.put(Secrets, { metadata: { namespace: NAMESPACE, name: 'gateway-tls' } });
    await stage.install();
  }),
  fromNew('a foreign ServiceAccount in the way', (stage) => {
    stage.api.put(Namespaces, { metadata: { name: NAMESPACE } });
    stage.api.put(ServiceAccounts, { metadata: { ...DEPLOYMENT } });
    stage.create();
  }),
  fromNew('a foreign ConfigMap in the place of the trusted certificates', (stage) => {
    stage.api.put(ConfigMaps, { metadata: { namespace: NAMESPACE, name: 'gateway-ca' } });
    stage.create();
  }),
  [
    'the first pass with an admission webhook that changes what is applied',
    async () => {
      const stage = new EngineRig({
        wrap: (client) =>
          replaced(client, 'apply', async (type: ResourceType, object: KubeObject, options: ApplyOptions) => {
            const answer = await client.apply<KubeObject>(type, object, options);
            return type === Deployments ? { ...answer, ...scaledTo(1)(answer) } : answer;
          }),
      });
      stage.create();
      return outputOf(stage, 0, await stage.pass());
    },
  ],
];

const changes: readonly Case[] = [
  fromReady('a Deployment that somebody deleted', (stage) => stage.api.remove(Deployments, DEPLOYMENT)),
  fromReady('a Deployment that somebody scaled', (stage) => editDeployment(stage, scaledTo(0))),
  fromReady('a Deployment that somebody scales again and again', async (stage) => {
    editDeployment(stage, scaledTo(0));
    await stage.pass();
    editDeployment(stage, scaledTo(0));
  }),
  fromReady('an object that is wanted no more', (stage) => stage.api.put(ServiceAccounts, extra(stage))),
  fromReady('an object that is wanted no more and may not be deleted', (stage) => {
    stage.api.put(ServiceAccounts, extra(stage));
    forbid(stage, is('delete', ServiceAccounts));
  }),
  fromReady('a certificate at two thirds of its life', (stage) => stage.clock.advance(60 * DAY_MS)),
  fromReady('a pause', (stage) => stage.edit(PAUSED)),
  fromReady('a pause with a Deployment deleted', (stage) => {
    stage.edit(PAUSED);
    stage.api.remove(Deployments, DEPLOYMENT);
  }),
  fromReady('a gateway that is turned off', (stage) =>
    stage.edit({}, { components: [{ name: 'gateway', enabled: false }] }),
  ),
  fromReady('the end of a pause', async (stage) => {
    stage.edit(PAUSED);
    await passes(stage);
    stage.edit({ annotations: {} });
  }),
  fromReady('a target namespace that was edited', (stage) => stage.edit({}, { targetNamespace: 'other' })),
  fromReady('a Deployment that is down', (stage) => stage.rollOut({ available: 0 })),
  fromReady('a namespace that is being deleted', (stage) => {
    const namespace = stage.api.peek<KubeObject>(Namespaces, { name: NAMESPACE });
    stage.api.put(Namespaces, {
      metadata: { name: NAMESPACE, ...namespace?.metadata, deletionTimestamp: NOW, finalizers: ['x/y'] },
    });
  }),
];

/** A Deployment was deleted, and what happens when it is recreated. */
function remade(sentence: string, act: (stage: EngineRig) => unknown): Case {
  return fromReady(sentence, (stage) => {
    stage.api.remove(Deployments, DEPLOYMENT);
    return act(stage);
  });
}

const refusals: readonly Case[] = [
  remade('a write that the operator has no right to', (stage) => forbid(stage, is('apply', Deployments))),
  remade('a write that a quota refuses', (stage) => forbid(stage, is('apply', Deployments), { may: true })),
  remade('a write that a policy refuses', (stage) =>
    forbid(stage, is('apply', Deployments), { causes: [{ reason: '', field: '', message: 'denied' }] }),
  ),
  remade('a write in a namespace that began to terminate', (stage) =>
    forbid(stage, is('apply', Deployments), { causes: [{ reason: 'NamespaceTerminating', field: '', message: '' }] }),
  ),
  remade('a write that fails three times', async (stage) => {
    stage.api.before = (call) => {
      if (is('apply', Deployments)(call)) throw failure('Unavailable', 'apply', Deployments, DEPLOYMENT);
    };
    for (let pass = 0; pass < 3; pass++) {
      await stage.pass();
      await stage.clock.advance(60_000);
    }
  }),
];

const removals: readonly Case[] = [
  removed('an uninstall to its end', () => undefined),
  removed('an uninstall of a namespace that holds a ConfigMap of somebody else', (stage) =>
    stage.api.put(ConfigMaps, { metadata: { namespace: NAMESPACE, name: 'theirs' } }),
  ),
  removed('an uninstall of a namespace that holds a Pod on its way out', (stage) =>
    stage.api.put(Pods, { metadata: { namespace: NAMESPACE, name: 'p', deletionTimestamp: NOW, finalizers: ['x/y'] } }),
  ),
  removed('an uninstall of a namespace that was there before', (stage) => {
    const { metadata } = stage.api.peek<KubeObject>(Namespaces, { name: NAMESPACE }) ?? {};
    stage.api.put(Namespaces, { metadata: { ...metadata, name: NAMESPACE, labels: {} } });
  }),
  removed('an uninstall of a namespace that the operator may not delete', (stage) =>
    forbid(stage, is('delete', Namespaces)),
  ),
  removed('an uninstall of a namespace whose deletion a policy refuses', (stage) =>
    forbid(stage, is('delete', Namespaces), { causes: [{ reason: '', field: '', message: 'denied' }] }),
  ),
  removed('an uninstall of a namespace whose deletion is refused without a reason', (stage) =>
    forbid(stage, is('delete', Namespaces), { may: true }),
  ),
  removed('an uninstall of a namespace that has changed', (stage) => {
    stage.api.before = (call) => {
      if (is('delete', Namespaces)(call)) throw failure('Conflict', 'delete', Namespaces, call.name);
    };
  }),
  removed('an uninstall of Deployments that the operator may not delete', (stage) =>
    forbid(stage, is('delete', Deployments)),
  ),
  removed('an uninstall of objects that the operator may not list', (stage) => forbid(stage, is('list', Deployments))),
  removed('an uninstall that a pause holds back', (stage) => stage.edit(PAUSED)),
  removed('an uninstall in which an object comes back', (stage) => {
    const account = stage.api.peek<KubeObject>(ServiceAccounts, DEPLOYMENT);
    stage.api.before = (call) => {
      if (
        is('list', ServiceAccounts)(call) &&
        account !== undefined &&
        stage.api.peek(ServiceAccounts, DEPLOYMENT) === undefined
      )
        stage.api.put(ServiceAccounts, account);
    };
  }),
  removed('an uninstall without the finalizer of the operator', (stage) => stage.edit({ finalizers: [] })),
  fromReady('an uninstall that waits for a Pod of a Deployment', (stage) => {
    stage.api.put(Pods, {
      metadata: { namespace: NAMESPACE, name: 'p', labels: { 'multicluster.platform.io/engine': 'hub' } },
    });
    stage.remove();
  }),
];

describeRecorded('engine-run', [...installs, ...changes, ...refusals, ...removals]);
