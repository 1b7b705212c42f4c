import type { KubeObject, ObjectMeta, OwnerReference } from '../../src/runtime/vocabulary/meta.js';
import { EXPIRY_ANNOTATION, REVISION_ANNOTATION } from '../../src/api/names.js';
import { ServiceAccounts } from '../../src/runtime/vocabulary/kinds.js';
import {
  bundleOf,
  decideCertificate,
  keyPairSecret,
  bundleConfigMap,
  type ServingCertificate,
  type StoredCertificate,
} from '../../src/domain/engine/steps/certificate.js';
import { stepForRead, type StepInput } from '../../src/domain/engine/steps/steps.js';
import { DAY_MS, pairForTest, pem } from '../support/builders/certificate.js';
import {
  desired,
  identity,
  NAMESPACE,
  NOW,
  placementOnly,
  plan,
  settings,
  UID,
  wanted,
  stepText,
} from '../support/builders/engine.js';
import { describeRecorded, type Case } from './recorded.js';

type Meta = Partial<ObjectMeta> & { readonly managedFields?: readonly object[] };
type Change = (object: KubeObject) => KubeObject;

const withMeta =
  (over: Meta): Change =>
  (object) => ({ ...object, metadata: { ...object.metadata, ...over } });
const owner = (over: Partial<OwnerReference>): OwnerReference => ({
  apiVersion: 'multicluster.platform.io/v1alpha1',
  kind: 'MultiClusterEngine',
  name: 'hub',
  uid: UID,
  controller: true,
  ...over,
});
const noSpec: Change = ({ metadata }) => ({ metadata });
const deleting = { deletionTimestamp: NOW };
const applied = { managedFields: [{ manager: 'multicluster-engine', operation: 'Apply' }] };

/** Everything stored as wanted, `change` applied to the objects of a kind; undefined takes one away. */
function world(change: Readonly<Record<string, Change | undefined>> = {}): StepInput {
  const all = desired({}, {}, placementOnly);
  const stored = all.flatMap(({ type, object }) => {
    const made = type.kind in change ? change[type.kind]?.(object) : object;
    return made === undefined ? [] : [{ type, object: made }];
  });
  const isNamespace = ({ type }: { readonly type: { readonly kind: string } }): boolean => type.kind === 'Namespace';
  return {
    engine: identity,
    desired: all,
    stored: stored.filter((one) => !isNamespace(one)),
    namespace: stored.find(isNamespace)?.object,
  };
}

/** What is done, `keep` left out. */
function steps(input: StepInput): readonly string[] {
  return plan(input)
    .filter((step) => step.action !== 'keep')
    .map(stepText);
}

function planCase(sentence: string, change: Readonly<Record<string, Change | undefined>>): Case {
  return [`a plan for ${sentence}`, () => steps(world(change))];
}

const old = {
  type: ServiceAccounts,
  object: { metadata: { namespace: NAMESPACE, name: 'old', ownerReferences: [owner({})] } },
};

const plans: readonly Case[] = [
  ['a plan for a new engine', () => steps({ ...world(), stored: [], namespace: undefined })],
  ['every step of a plan for an engine that is as wanted', () => plan(world()).map(stepText)],
  planCase('a Deployment without a spec', { Deployment: noSpec }),
  planCase('a Deployment without labels', { Deployment: withMeta({ labels: {} }) }),
  planCase('a Deployment of an earlier revision', {
    Deployment: withMeta({ annotations: { [REVISION_ANNOTATION]: 'older' } }),
  }),
  planCase('an object of another controller', {
    ServiceAccount: withMeta({ ownerReferences: [owner({ kind: 'Widget', name: 'w' })] }),
  }),
  planCase('an object of another engine', {
    ServiceAccount: withMeta({ ownerReferences: [owner({ name: 'other', uid: 'x' })] }),
  }),
  planCase('an object of an engine of another group', {
    ServiceAccount: withMeta({ ownerReferences: [owner({ apiVersion: 'other.io/v1' })] }),
  }),
  planCase('an object with an owner that is no controller', {
    ServiceAccount: withMeta({ ownerReferences: [owner({ controller: false })] }),
  }),
  planCase('an object that is being deleted without a finalizer', { ServiceAccount: withMeta(deleting) }),
  planCase('an object of an earlier engine of the same name', {
    ServiceAccount: withMeta({ ownerReferences: [owner({ uid: 'before' })] }),
  }),
  planCase('an object without a controller', { ServiceAccount: withMeta({ ownerReferences: [] }) }),
  planCase('an object that is being deleted', { ServiceAccount: withMeta({ ...deleting, finalizers: ['x/y', 'z'] }) }),
  planCase('a namespace that is being deleted, with a Deployment gone', {
    Namespace: withMeta(deleting),
    Deployment: undefined,
  }),
  planCase('a namespace that lost a label', {
    Namespace: withMeta({ labels: { 'multicluster.platform.io/engine': 'hub' } }),
  }),
  [
    'a plan that waits for the account of a Deployment',
    () => {
      const waitsFor = 'ServiceAccount multicluster-engine/placement-controller';
      return steps({
        ...world({ ServiceAccount: undefined }),
        desired: desired({}, {}, placementOnly).map((one) =>
          one.type.kind === 'Deployment' ? { ...one, waitsFor } : one,
        ),
      });
    },
  ],
  ['a plan for an object that is wanted no more', () => steps({ ...world(), stored: [...world().stored, old] })],
  [
    'a plan for an object that is wanted no more and on its way out',
    () => steps({ ...world(), stored: [...world().stored, { ...old, object: withMeta(deleting)(old.object) }] }),
  ],
];

function freshCase(sentence: string, change: Change | undefined): Case {
  const account = wanted('ServiceAccount');
  return [
    `a step for ${sentence} on the server`,
    () => {
      const step = stepForRead(account, change?.(account.object), identity, 'Refuse');
      return step && stepText(step);
    },
  ];
}

const fresh: readonly Case[] = [
  freshCase('an object that does not exist', undefined),
  freshCase('an object that is as wanted', (object) => object),
  freshCase('an object that lost its owner and was applied by us', withMeta({ ownerReferences: [], ...applied })),
  freshCase('an object without an owner that somebody else applied', withMeta({ ownerReferences: [] })),
  freshCase('an object without an owner that is being deleted', withMeta({ ownerReferences: [], ...deleting })),
  [
    'a step for a namespace that somebody else made',
    () => stepForRead(wanted('Namespace'), { metadata: { name: NAMESPACE } }, identity, 'Refuse'),
  ],
];

const one: ServingCertificate = {
  component: 'gateway',
  row: { secret: 'gateway-tls', configMap: 'gateway-ca', service: 'gateway' },
  namespace: NAMESPACE,
  engine: identity,
  settings,
};
const now = Date.parse(NOW);
const bundle = bundleOf(pairForTest(2, now), [pem(1)]);
const pair = keyPairSecret(one, pairForTest(2, now), bundle).object;

/** The field paths of an object, as managed fields write them. */
function fieldsOf(value: unknown): object {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isObject ? Object.fromEntries(Object.entries(value).map(([key, inner]) => [`f:${key}`, fieldsOf(inner)])) : {};
}

/** The Secret as the operator applied it, and what `over` says otherwise. */
function secret(over: Meta = {}): KubeObject {
  return withMeta({
    managedFields: [{ manager: 'multicluster-engine', operation: 'Apply', fieldsV1: fieldsOf(pair) }],
    ...over,
  })(pair);
}

function certificateCase(sentence: string, over: Partial<StoredCertificate>): Case {
  const input = {
    secret: secret(),
    configMap: bundleConfigMap(one, bundle).object,
    namespaceObject: { metadata: { name: NAMESPACE } },
    now,
  };
  return [`a certificate ${sentence}`, () => decideCertificate(one, { ...input, ...over })];
}

const certificates: readonly Case[] = [
  certificateCase('that is young', {}),
  certificateCase('near its end', { now: now + 60 * DAY_MS }),
  certificateCase('of a clock that was ahead', { now: now - 2 * DAY_MS }),
  certificateCase('whose end is no time', {
    secret: secret({ annotations: { ...pair.metadata.annotations, [EXPIRY_ANNOTATION]: 'soon' } }),
  }),
  certificateCase('that somebody else wrote', { secret: secret({ managedFields: [] }) }),
  certificateCase('without its labels', { secret: secret({ labels: {} }) }),
  certificateCase('whose Secret is being deleted', { secret: secret({ ...deleting, finalizers: ['a/b'] }) }),
  certificateCase('of an earlier engine', { secret: secret({ ownerReferences: [owner({ uid: 'before' })] }) }),
  certificateCase('of another engine', { secret: secret({ ownerReferences: [owner({ name: 'other', uid: 'x' })] }) }),
  certificateCase('that does not exist', { secret: undefined }),
  certificateCase('that does not exist in a namespace that is being deleted', {
    secret: undefined,
    namespaceObject: { metadata: { name: NAMESPACE, ...deleting } },
  }),
];

describeRecorded('engine-plan', [...plans, ...fresh, ...certificates]);
