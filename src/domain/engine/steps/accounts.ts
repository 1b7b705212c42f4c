import { SERVICE_ACCOUNT_UID_ANNOTATION } from '../../../api/names.js';
import { Deployments, ServiceAccounts } from '../../../runtime/vocabulary/kinds.js';
import { desiredId, withRevision, type DesiredObject, type EngineIdentity } from '../manifest/desired.js';
import { idOf, textAt, titleOf, treeAt, type Manifest } from '../manifest/manifest.js';
import { ownershipOf } from './ownership.js';
import type { StoredObject } from './steps.js';
import { isTerminating } from './termination.js';
import type { ObjectState } from '../status/input.js';

/**
 * A token is bound to the uid of its ServiceAccount: after the account was deleted and created again, the tokens of
 * running pods are refused. So the pod template of a Deployment carries the uid of its account, and a new uid starts a
 * rollout.
 */

export interface AccountsInput {
  readonly engine: EngineIdentity;
  /** The objects as this pass read or applied them. */
  readonly objects: readonly ObjectState[];
  readonly stored: readonly StoredObject[];
}

/**
 * `desired` with the uid of the account in the pod template of each Deployment whose account is in `desired`. An account
 * that is being deleted or foreign has no uid here. While the uid is not known, that of the stored Deployment stays; a
 * Deployment without one waits for the account.
 */
export function withAccountUids(desired: readonly DesiredObject[], input: AccountsInput): readonly DesiredObject[] {
  const accounts = new Set(desired.filter(({ type }) => type === ServiceAccounts).map(desiredId));
  const uids = new Map<string, string>();
  for (const { type, name, object } of input.objects) {
    if (type !== ServiceAccounts || object?.metadata.uid === undefined) continue;
    if (ownershipOf(object, input.engine) === 'ours' && !isTerminating(object))
      uids.set(idOf(type, name), object.metadata.uid);
  }
  return desired.map((one) => {
    const { namespace = '' } = one.object.metadata;
    const name = { namespace, name: textAt(one.object, 'spec', 'template', 'spec', 'serviceAccountName') };
    const id = idOf(ServiceAccounts, name);
    if (one.type !== Deployments || !accounts.has(id)) return one;
    const uid = uids.get(id) ?? carriedUid(desiredId(one), input.stored);
    if (uid === '') return { ...one, waitsFor: titleOf(ServiceAccounts, name) };
    return withRevision(one.type, one.component, withUid(one.object, uid));
  });
}

function carriedUid(deployment: string, stored: readonly StoredObject[]): string {
  const there = stored.find(({ type, object }) => idOf(type, object.metadata) === deployment);
  return textAt(there?.object, 'spec', 'template', 'metadata', 'annotations', SERVICE_ACCOUNT_UID_ANNOTATION);
}

function withUid(deployment: Manifest, uid: string): Manifest {
  const spec = treeAt(deployment, 'spec');
  const template = treeAt(spec, 'template');
  const metadata = treeAt(template, 'metadata');
  const annotations = { ...treeAt(metadata, 'annotations'), [SERVICE_ACCOUNT_UID_ANNOTATION]: uid };
  return { ...deployment, spec: { ...spec, template: { ...template, metadata: { ...metadata, annotations } } } };
}
