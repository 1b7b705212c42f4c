import { LightAbortSignal } from '../../runtime/transport/deadline.js';
import { type AbortSignalLike, delay } from '../../runtime/clock.js';
import { announcesBody } from '../request/body.js';
import { headerMap } from '../request/headers.js';
import { parseHead, routeOf, type LocalRequest, type ResourceRequest, type DecisionRequest } from './requesthead.js';
import { mapResponse, type RequestInfo, readJson } from '../response/mapresponse.js';
import { emptyResponse, errorResponse, writeResponse, type HttpResponse } from '../response/response.js';
import { StatusError } from '../statuserror.js';
import { UpstreamError } from '../upstream/error.js';
import { beginAccess } from './accesslog.js';
import {
  callUpstream,
  confirmToken,
  readWholeBody,
  writeCounted,
  type CallRequest,
  type HandlerDeps,
  type RequestContext,
} from './call.js';
import type { IncomingRequest } from './server.js';
import { PLACEMENT_LABEL } from '../../api/names.js';
import { PlacementDecisions, Placements } from '../../api/resources.js';
import { collectionPath, objectPath } from '../../runtime/client/path.js';
import { recordsIn, type JsonRecord } from '../../runtime/vocabulary/json.js';
import type { Reservation } from '../request/budget.js';
import { consistentClusters, decisionDocument, tagOf, warningsOf, type SelectedCluster } from '../response/decision.js';
import type { CallerToken } from '../upstream/acceptedtokens.js';

/**
 * Handles one request: parses its head, answers it locally or with one call to the API server under the caller's own
 * token (a decision takes two or more, all of which read), and writes the access log. Never rejects.
 */
export async function handleRequest(incoming: IncomingRequest, deps: HandlerDeps): Promise<void> {
  const { message } = incoming;
  const match = routeOf(message);
  const access = beginAccess(incoming, match, deps);
  const context: RequestContext = { incoming, deps, match, access, clientGone: closeSignal(incoming) };
  try {
    const request = parseHead(message, match);
    if (request.kind === 'local') await respondLocally(request, context);
    else if (request.kind === 'decision') await respondWithDecision(request, context);
    else await forward(request, context);
  } catch (error) {
    if (error instanceof UpstreamError) context.upstreamError = error;
    await respondWithError(error, context);
  }
  access.end(context.upstreamError);
}

function closeSignal({ message, response }: IncomingRequest): AbortSignalLike {
  const closed = new LightAbortSignal();
  response.on('close', () => {
    if (!response.writableFinished) closed.abort('the connection has closed');
  });
  // Without listeners, an error of a connection that the client has reset would end the process.
  response.on('error', () => undefined);
  message.on('error', () => undefined);
  return closed;
}

/** Needs no token. What kubelets and load balancers ask for is small, and never waits. */
async function respondLocally(request: LocalRequest, { incoming, deps, clientGone }: RequestContext): Promise<void> {
  const answer = localResponse(request, deps);
  if (request.action === 'openapi') await deps.responseRateLimiter.wait(clientGone);
  await writeResponse(incoming.response, answer, deps.clock);
}

function localResponse({ action }: LocalRequest, { openapi, readiness }: HandlerDeps): HttpResponse {
  if (action === 'openapi') return { code: 200, headers: { 'content-type': 'application/json' }, body: openapi };
  if (action === 'ready' && readiness.check() !== undefined)
    throw new StatusError('unavailable', { message: 'not ready' });
  return emptyResponse(200);
}

/** Reads the body, if any, calls the API server and responds. The body is counted until the response is written. */
async function forward(request: ResourceRequest, context: RequestContext): Promise<void> {
  const { method, path, resourceVersion, object, info } = request;
  const { tokens, bodies, parser } = context.deps;
  const caller = tokens.of(request.token);
  context.caller = caller;
  if (object === undefined) {
    const body = resourceVersion === undefined ? {} : { body: deleteOptions(resourceVersion) };
    await callAndRespond({ method, path, caller, ...body }, info, context);
    return;
  }
  if (!tokens.isAccepted(caller)) await confirmToken(caller, context);
  const memory = bodies.reserve();
  try {
    const body = await parser.parse(await readWholeBody(memory, context), object);
    const strictPath = `${path}?fieldValidation=Strict`;
    await callAndRespond({ method, path: strictPath, caller, body }, { ...info, sent: body }, context);
  } finally {
    memory.release();
  }
}

/** DeleteOptions with which the object is deleted only at that resourceVersion. */
function deleteOptions(resourceVersion: string): string {
  return JSON.stringify({ apiVersion: 'v1', kind: 'DeleteOptions', preconditions: { resourceVersion } });
}

/**
 * Makes the one call. A buffered response is written after the call has ended, so that a slow client holds no connection to the
 * API server. A larger one is written while it is read.
 */
async function callAndRespond(request: CallRequest, info: RequestInfo, context: RequestContext): Promise<void> {
  const buffered = await callUpstream(request, context, async (answer) => {
    const response = await mapResponse(answer, info, context.deps);
    if (response.failure !== undefined) context.upstreamError = response.failure;
    if (response.stream === undefined) return response;
    await writeCounted(response, info, context);
    return undefined;
  });
  if (buffered !== undefined) await writeCounted(buffered, info, context);
}

/** Writes the response of an error, or closes the connection where none can be written any more. */
async function respondWithError(error: unknown, context: RequestContext): Promise<void> {
  const { incoming, deps, clientGone } = context;
  const { message, response, expectsContinue } = incoming;
  const statusError = statusErrorOf(error);
  // The body of a client that has left fails before its connection closes.
  const gone = clientGone.aborted || message.errored !== null;
  if (statusError === undefined && !gone) deps.log.error({ fault: stackWithoutMessage(error) }, 'request failed');
  if (gone || response.headersSent) {
    response.destroy();
    return;
  }
  const unread = !message.complete && announcesBody(headerMap(message.rawHeaders));
  if (unread) response.shouldKeepAlive = false;
  if (unread && !expectsContinue) await deps.drain.read(message);
  if (isRateLimited(context)) await deps.responseRateLimiter.wait(clientGone);
  const answer = errorResponse(statusError ?? new StatusError('failed', { message: 'failed' }), deps.strict);
  await writeResponse(response, answer, deps.clock).catch(() => undefined);
}

/** Whether an error response waits: a kubelet's probe of readiness never does. */
function isRateLimited({ match, caller, deps: { tokens } }: RequestContext): boolean {
  const probed = match !== undefined && match.route.resource === undefined;
  return !probed && (caller === undefined || !tokens.isKnown(caller));
}

/** What an error means for the client; undefined for a fault of the program. */
function statusErrorOf(error: unknown): StatusError | undefined {
  if (error instanceof StatusError) return error;
  if (!(error instanceof UpstreamError)) return undefined;
  const unavailable = error.reason === 'timeout' || error.reason === 'unreachable';
  return new StatusError(unavailable ? 'unavailable' : 'failed', { message: error.message });
}

/** Name and place of a fault of the program. Its message is left out: it may quote the request. */
function stackWithoutMessage(error: unknown): string {
  if (!(error instanceof Error)) return 'no Error was thrown';
  const frames = (error.stack ?? '').split('\n').filter((line) => /^\s+at /.test(line));
  return [error.name, ...frames.slice(0, 8).map((line) => line.trim())].join(' ');
}

/** How often Placement and objects are read until they agree, and the time between: a decision is written in less. */
const MOST_READS = 4;
const BETWEEN_READS_MS = 150;

/** Answers with the decision of a Placement. A body has nothing that is used, but is read as that of any other request. */
async function respondWithDecision(request: DecisionRequest, context: RequestContext): Promise<void> {
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
