import { methodNotAllowed } from '../status.js';
import { change } from './write/change.js';
import type { Context } from './context.js';
import { decodeObject } from './decoding/decoding.js';
import { tracked } from './ownership.js';
import { checkStoredName } from '../registry/storedname.js';
import { checkName, inNamespace, withOwnersOnce } from './metadata.js';
import { updateOptions } from './options.js';
import type { Body } from '../schema/body/body.js';
import type { Caller, Query, Target, Written } from './verbs.js';
import { subresourceOf } from '../resource.js';
import { viewOf } from './view.js';

/** PUT of an object, or of a subresource that holds the whole object. */
export function update(
  context: Context,
  target: Target,
  body: Body,
  request: { readonly query: Query; readonly caller: Caller },
): Promise<Written> {
  const { query, caller } = request;
  const { resource, namespace, name, subresource } = target;
  if (!allows(target, 'update')) throw methodNotAllowed(resource, 'update');
  const options = updateOptions(query);
  const view = viewOf(target);
  const decoded = decodeObject(
    {
      resource: view?.resource ?? resource,
      registry: context.registry,
      hidesKind: view !== undefined && resource.custom,
    },
    body,
    { options, caller },
  );
  const placed = inNamespace(decoded, resource.namespaced ? namespace : '');
  checkName(placed, name);
  checkStoredName(name);
  const object = withOwnersOnce(placed, caller.warn, 'sent');
  return change(context, {
    target,
    options,
    caller,
    next: (live) => tracked(context, { target, options, caller }, live, object),
    uid: object.metadata.uid,
    creates: resource.strategy.createOnUpdate && subresource === '',
  });
}

/** Whether the resource, or the subresource of the target, supports a verb. */
export function allows({ resource, subresource }: Target, verb: string): boolean {
  const { verbs = [] } = subresource === '' ? resource : (subresourceOf(resource, subresource) ?? {});
  return verbs.includes(verb);
}
