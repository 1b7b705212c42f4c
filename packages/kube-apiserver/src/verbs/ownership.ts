import { apiVersionOf } from '../apiversion.js';
import { serverSideApply } from '../apply/apply.js';
import { rootAtom } from '../apply/typed/atom.js';
import { schemaErrors } from '../apply/typed/validate.js';
import { type OtherVersion, ConversionError } from '../apply/resource.js';
import { trackUpdate } from '../apply/track.js';
import { equal, isObject, type Json } from '@multicluster-engine/values/json';
import type { KubeObject } from '@multicluster-engine/values/object';
import type { Context } from './context.js';
import type { Schema } from '@multicluster-engine/values/schema/schema';
import { structAt, textAt } from '@multicluster-engine/values/fields';
import { type StatusError, unknownError } from '../status.js';
import { withMeta } from '@multicluster-engine/values/object';
import type { WriteOptions } from './options.js';
import type { Caller, Target } from './verbs.js';
import { viewOf } from './view.js';

export interface Write {
  readonly target: Target;
  readonly options: WriteOptions;
  readonly caller: Caller;
}

/** The next state with updated managedFields. */
export function tracked(context: Context, write: Write, live: KubeObject | undefined, next: KubeObject): KubeObject {
  const { target, options, caller } = write;
  const { resource, subresource } = shownAs(target);
  const manager = options.fieldManager === '' ? caller.agent : options.fieldManager;
  try {
    return trackUpdate({
      live,
      next,
      manager,
      subresource,
      resource,
      now: context.clock.now(),
      other: otherVersions(write),
    });
  } catch (error) {
    if (error instanceof ConversionError) return withMeta(next, { managedFields: undefined });
    throw error;
  }
}

/** The live object with a configuration applied, before defaults. */
export function applied(context: Context, write: Write, live: KubeObject | undefined, configuration: Json): KubeObject {
  const {
    target,
    options: { fieldManager: manager, force },
  } = write;
  const { resource, subresource } = shownAs(target);
  if (live !== undefined && context.noOpApplies.has({ target, manager, live, configuration })) return live;
  const request = {
    live,
    applied: configuration,
    manager,
    subresource,
    force,
    resource,
    now: context.clock.now(),
    other: otherVersions(write),
  };
  const object = orUnknown(() => serverSideApply(request));
  const scaled = target.resource.custom && !resource.custom && live !== undefined;
  if (scaled && !sameButManagers(live, object)) throw noSuchVersion(live, resource, configuration);
  if (live !== undefined && object === live) context.noOpApplies.add({ target, manager, live, configuration });
  return object;
}

/** Whether an object with managedFields differs in nothing else. */
function sameButManagers(live: KubeObject, next: KubeObject): boolean {
  return (
    live.metadata.managedFields !== undefined &&
    equal(withMeta(live, { managedFields: undefined }), withMeta(next, { managedFields: undefined }))
  );
}

/**
 * An apply cannot change the Scale of a custom resource: kube-apiserver looks for the Scale's version in the
 * definition.
 */
function noSuchVersion(live: KubeObject, { kind, ...resource }: Target['resource'], configuration: Json): StatusError {
  const version = apiVersionOf(resource);
  const sent = isObject(configuration) ? structAt(configuration, 'metadata') : {};
  const known = live.metadata.managedFields !== undefined;
  const what = known
    ? 'failed to convert new object'
    : 'failed to create manager for existing fields: failed to convert live object';
  const name = known ? `${textAt(sent, 'namespace')}/${textAt(sent, 'name')}` : '/';
  return unknownError(
    `${what} (${name}; ${version}, Kind=${kind}) to proper version: request to convert CR to an invalid group/version: ${version}`,
  );
}

function orUnknown<T>(apply: () => T): T {
  try {
    return apply();
  } catch (error) {
    throw error instanceof ConversionError ? unknownError(error.message) : error;
  }
}

/** The resource of a request; that of the view, where it is about one. */
function shownAs(target: Target): Pick<Target, 'resource' | 'subresource'> {
  const { resource, subresource } = target;
  return { resource: viewOf(target)?.resource ?? resource, subresource };
}

/**
 * Versions of a custom resource in which other managers may have written the object. Built-in kinds have one; for
 * Events kube-apiserver drops what was written in the other group.
 */
function otherVersions({ target: { resource } }: Write): (apiVersion: string) => OtherVersion | undefined {
  return (apiVersion) => {
    const schema = resource.schemaIn?.(apiVersion);
    if (schema === undefined) return undefined;
    const mine = apiVersionOf(resource);
    const to =
      (known: Schema, as: string): OtherVersion['convert'] =>
      (object) => {
        const whole = { ...object, apiVersion: as };
        const problem = schemaErrors(rootAtom(known), whole);
        if (problem !== undefined) throw new ConversionError(problem);
        return whole;
      };
    return { schema, convert: to(schema, apiVersion), restore: to(resource.schema, mine) };
  };
}
