import { LightAbortSignal } from '../../runtime/transport/deadline.js';
import type { AbortSignalLike } from '../../runtime/clock.js';
import { announcesBody } from '../request/body.js';
import { headerMap } from '../request/headers.js';
import { parseHead, routeOf, type LocalRequest, type ResourceRequest } from './requesthead.js';
import { mapResponse, type RequestInfo } from '../response/mapresponse.js';
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
import { respondWithDecision } from './decisionhandler.js';
import type { IncomingRequest } from './server.js';

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
