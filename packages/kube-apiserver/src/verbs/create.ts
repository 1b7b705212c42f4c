import type { KubeObject } from '@multicluster-engine/values/object';
import { methodNotAllowed } from '../status.js';
import { admissionRequest } from './context.js';
import type { Context } from './context.js';
import { decodeObject } from './decoding/decoding.js';
import { tracked } from './ownership.js';
import { inNamespace, withOwnersOnce } from './metadata.js';
import { withoutSystemFields } from '@multicluster-engine/values/object';
import { createOptions } from './options.js';
import type { Body } from '../schema/body/body.js';
import type { Caller, Query, Target, Written } from './verbs.js';
import { store } from './write/persist.js';

/** POST. Reviews get a response and are not stored. */
export function create(
  context: Context,
  target: Target,
  body: Body,
  request: { readonly query: Query; readonly caller: Caller },
): Promise<Written> {
  const { query, caller } = request;
  const { resource } = target;
  if (!resource.verbs.includes('create') || target.subresource !== '') throw methodNotAllowed(resource, 'create');
  const options = createOptions(query);
  const decoded = withoutSystemFields(
    decodeObject({ resource, registry: context.registry }, body, { options, caller }),
  );
  const placed = inNamespace(decoded, resource.namespaced ? target.namespace : '');
  const once = withOwnersOnce(placed, caller.warn, 'sent');
  const object = tracked(context, { target, options, caller }, undefined, once);
  const admitted = admit(context, target, object, { options, caller });
  if (resource.review !== undefined) return review(context, target, admitted, { options, caller });
  return store(context, { target, object: admitted, options, caller, byUpdate: false });
}

type Rest = { readonly options: ReturnType<typeof createOptions>; readonly caller: Caller };

function admit(context: Context, target: Target, object: KubeObject, { options, caller }: Rest): KubeObject {
  const seen = {
    operation: 'CREATE',
    object,
    oldObject: undefined,
    dryRun: options.dryRun,
    options: options.object,
  } as const;
  return context.admission.admit(admissionRequest(named(target, object), caller, seen), caller.warn) ?? object;
}

function named(target: Target, { metadata: { name = '' } }: KubeObject): Target {
  return { ...target, name };
}

function review(context: Context, target: Target, object: KubeObject, { options, caller }: Rest): Promise<Written> {
  const seen = {
    operation: 'CREATE',
    object,
    oldObject: undefined,
    dryRun: options.dryRun,
    options: options.object,
  } as const;
  context.admission.validate(admissionRequest(named(target, object), caller, seen), caller.warn);
  return Promise.resolve({ code: 201, object: target.resource.review?.(object, caller.user) ?? object });
}
