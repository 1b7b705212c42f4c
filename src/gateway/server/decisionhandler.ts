import { PLACEMENT_LABEL } from '../../api/names.js';
import { PlacementDecisions, Placements } from '../../api/resources.js';
import { collectionPath, objectPath } from '../../runtime/client/path.js';
import { delay } from '../../runtime/clock.js';
import { recordsIn, type JsonRecord } from '../../runtime/vocabulary/json.js';
import type { Reservation } from '../request/budget.js';
import { consistentClusters, decisionDocument, tagOf, warningsOf, type SelectedCluster } from '../response/decision.js';
import { readJson } from '../response/mapresponse.js';
import { StatusError } from '../statuserror.js';
import type { CallerToken } from '../upstream/acceptedtokens.js';
import { callUpstream, confirmToken, readWholeBody, writeCounted, type RequestContext } from './call.js';
import type { DecisionRequest } from './requesthead.js';

/** How often Placement and objects are read until they agree, and the time between: a decision is written in less. */
const MOST_READS = 4;
const BETWEEN_READS_MS = 150;

/** Answers with the decision of a Placement. A body has nothing that is used, but is read as that of any other request. */
export async function respondWithDecision(request: DecisionRequest, context: RequestContext): Promise<void> {
  const { deps } = context;
  const { namespace, name: placement, form, accept } = request;
  const caller = deps.tokens.of(request.token);
  context.caller = caller;
  if (request.hasBody) await readUnused(caller, context);
  const clusters = await readClusters(request, caller, context);
  const json = JSON.stringify(decisionDocument({ namespace, placement, clusters }, form));
  const yaml = form === 'plain' && accept.format === 'yaml';
  const body = yaml ? await deps.parser.toYaml(Buffer.from(json)) : json;
  const type = yaml ? accept.name : 'application/json';
  const headers = { 'content-type': type, etag: tagOf(body) };
  await writeCounted({ code: 200, headers, warnings: warningsOf(body, form), body }, { action: 'decision' }, context);
}

async function readUnused(caller: CallerToken, context: RequestContext): Promise<void> {
  const { tokens, bodies } = context.deps;
  if (!tokens.isAccepted(caller)) await confirmToken(caller, context);
  const memory = bodies.reserve();
  try {
    await readWholeBody(memory, context);
  } finally {
    memory.release();
  }
}

/**
 * Reads the clusters of a decision. @throws StatusError `unavailable` without a decision, or while its objects do not agree with
 * it
 */
async function readClusters(
  { namespace, name }: DecisionRequest,
  caller: CallerToken,
  context: RequestContext,
): Promise<SelectedCluster[]> {
  const selector = encodeURIComponent(`${PLACEMENT_LABEL}=${name}`);
  const paths = [
    objectPath(Placements, { namespace, name }),
    `${collectionPath(PlacementDecisions, namespace)}?labelSelector=${selector}`,
  ];
  const memory = context.deps.bodies.reserve();
  try {
    for (let read = 1; ; read += 1) {
      const [placement = {}, list = {}] = await readEach(paths, { caller, memory, context });
      const clusters = consistentClusters(placement, recordsIn(list['items']));
      if (clusters !== undefined) return clusters;
      if (read === MOST_READS) throw new StatusError('unavailable', { message: 'there is no whole decision now' });
      await delay(context.deps.clock, BETWEEN_READS_MS, context.clientGone);
    }
  } finally {
    memory.release();
  }
}

interface ReadContext {
  readonly caller: CallerToken;
  /** For all bytes that are read. */
  readonly memory: Reservation;
  readonly context: RequestContext;
}

/** The objects at these paths, one after the other: the Placement first, since its status is written last. */
async function readEach(paths: readonly string[], { caller, memory, context }: ReadContext): Promise<JsonRecord[]> {
  const found: JsonRecord[] = [];
  let before = 0;
  for (const path of paths) {
    const { object, bytes } = await callUpstream({ method: 'GET', path, caller }, context, (answer) =>
      readJson(answer, (size) => memory.grow(before + size)),
    );
    before += bytes;
    found.push(object);
  }
  return found;
}
