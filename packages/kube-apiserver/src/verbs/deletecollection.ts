import type { KubeObject } from '@multicluster-engine/values/object';
import { StatusError, methodNotAllowed } from '../status.js';
import { readWhenAvailable } from './list/revisionwait.js';
import type { Context } from './context.js';
import { deleteWith } from './delete.js';
import { listOptions } from './list/listoptions.js';
import { deleteOptions } from './options.js';
import { page } from './read.js';
import { selectionOf } from './list/selection.js';
import { allows } from './update.js';
import type { Body } from '../schema/body/body.js';
import type { Caller, Listed, Query, Target } from './verbs.js';

/** DELETE of a collection: deletes each object of the list as a single DELETE would. Responds with the list. */
export async function deleteCollection(
  context: Context,
  target: Target,
  body: Body | undefined,
  request: { readonly query: Query; readonly caller: Caller },
): Promise<Listed> {
  const { query, caller } = request;
  if (!allows(target, 'deletecollection')) throw methodNotAllowed(target.resource, 'deletecollection');
  const listing = listOptions(query, 'list');
  const selection = selectionOf(target, query, listing);
  const options = deleteOptions(body, query);
  const listed = await readWhenAvailable(context, () => page(context, selection, listing));
  const one = async ({ metadata: { namespace = '', name = '' } }: KubeObject): Promise<void> => {
    await deleteWith(context, { target: { ...target, namespace, name }, options, caller, collective: true });
  };
  // One after the other where some may be refused: the first refusal ends it, and the rest stays.
  if (options.uid !== undefined || options.resourceVersion !== undefined) {
    for (const item of listed.items) await one(item).catch(unlessGone);
    return listed;
  }
  const outcomes = await Promise.allSettled(listed.items.map((item) => one(item)));
  for (const outcome of outcomes) {
    if (outcome.status === 'rejected') unlessGone(outcome.reason);
  }
  return listed;
}

function unlessGone(reason: unknown): void {
  if (!(reason instanceof StatusError) || reason.code !== 404) throw reason;
}
