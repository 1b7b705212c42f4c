import type { IncomingMessage } from 'node:http';
import { emptyResponse, type HttpResponse } from '../response/response.js';
import { announcesBody, checkLength, parseBody, readBody, type Budget, type Reservation } from '../request/body.js';
import { methodNotAllowed } from '../response/parseerror.js';
import { withResourceVersion, validateCreate, validateTarget } from '../request/target.js';
import { checkHeaders, headerMap, type HeaderMap } from '../request/headers.js';
import { acceptedType, formatOf, wantsRepresentation } from '../request/media.js';
import { MAX_BUFFERED, mapResponse, type RequestInfo } from '../response/mapresponse.js';
import { checkConditionalHeaders, ifMatchRevision } from '../request/precondition.js';
import { StatusError } from '../statuserror.js';
import { matchRoute, operationOf, upstreamPath, type RouteMatch, type Operation } from '../request/routes.js';
import type { FieldRules } from '../object/fieldrules.js';
import { tokenOf } from '../request/token.js';
import type { Upstream, UpstreamRequest } from '../upstream/upstream.js';

/** What every request is answered from. */
export interface Desk {
  readonly upstream: Pick<Upstream, 'call'>;
  readonly budget: Budget;
  /** The OpenAPI document, JSON; bytes, so that an answer costs nothing to make. */
  readonly openapi: Buffer;
  /** What the kinds demand. */
  readonly rules: FieldRules;
  /** Whether the gateway can serve. */
  ready(): boolean;
}

/** One request, while it is answered. */
export interface Request {
  readonly message: IncomingMessage;
  readonly headers: HeaderMap;
  readonly match: RouteMatch;
  readonly operation: Operation;
  /** Called before the body is read, for a client that waits to be asked for it. */
  askForBody(): void;
  /** Does what the client waits for; meanwhile its connection gives way to no other. */
  readonly atWork: <T>(work: () => Promise<T>) => Promise<T>;
  /** Fires when the client leaves. */
  readonly gone: AbortSignal;
  /** Hands an answer to the client. */
  deliver(answer: HttpResponse): Promise<void>;
}

/** The headers as a map, once all that has to hold for every request holds. */
export function checkedHeaders(message: IncomingMessage): HeaderMap {
  const headers = headerMap(message.rawHeaders);
  checkHeaders(headers, message.httpVersion);
  return headers;
}

/** What the path of a request says, whatever stands in its query. */
export function matchOf({ url = '' }: IncomingMessage): RouteMatch | undefined {
  const mark = url.indexOf('?');
  return matchRoute(mark < 0 ? url : url.slice(0, mark));
}

/**
 * The operation that a request asks for.
 * @throws Refusal for an unknown path, a method that it does not have, a query
 */
export function operationFor(
  { url = '', method = '' }: IncomingMessage,
  match: RouteMatch | undefined,
): { readonly match: RouteMatch; readonly operation: Operation } {
  if (match === undefined) throw new StatusError('notFound', { message: 'no such path' });
  const operation = operationOf(match.route, method);
  if (operation === undefined) throw methodNotAllowed(match.route);
  // To drop a query would do something else than was asked: a DELETE with dryRun would delete.
  if (url.includes('?')) throw new StatusError('malformed', { message: 'a query string is not allowed' });
  return { match, operation };
}

/**
 * Answers a request: from here, or by one call to the API server with the caller's own token.
 * @throws Refusal, UpstreamFailure
 */
export async function answerRequest(request: Request, desk: Desk): Promise<void> {
  const { operation, match, headers } = request;
  checkConditionalHeaders(headers, operation.action);
  if (match.route.resource === undefined) {
    refuseBody(headers);
    await request.deliver(localAnswer(operation, desk));
    return;
  }
  const token = tokenOf(headers);
  const { resource } = match.route;
  const revision = ifMatchRevision(headers);
  const asked: RequestInfo = {
    action: operation.action,
    resource,
    accept: acceptedType(headers),
    representation: wantsRepresentation(headers),
    conditional: revision !== undefined,
  };
  const { method } = operation;
  const path = upstreamPath(resource, match.namespace, match.name);
  if (operation.action === 'create' || operation.action === 'update') {
    await sendObject(request, desk, {
      asked,
      revision,
      call: { method, path: `${path}?fieldValidation=Strict`, token },
    });
    return;
  }
  refuseBody(headers);
  await forward(request, desk, asked, {
    method,
    path,
    token,
    ...(revision !== undefined && { body: preconditions(revision) }),
  });
}

interface Sending {
  readonly asked: RequestInfo;
  readonly revision: string | undefined;
  readonly call: UpstreamRequest;
}

async function sendObject(request: Request, desk: Desk, { asked, revision, call }: Sending): Promise<void> {
  const { headers, match, message } = request;
  const format = formatOf(headers);
  checkLength(headers);
  request.askForBody();
  const share = desk.budget.reserve();
  try {
    const bytes = await readBody(message, share);
    if (message.rawTrailers.length > 0)
      throw new StatusError('malformed', { message: 'trailer fields are not allowed', close: true });
    const { namespace, name } = match;
    const target = {
      resource: asked.resource,
      ...(namespace !== undefined && { namespace }),
      ...(name !== undefined && { name }),
    };
    const object = validateTarget(parseBody(bytes, format), target);
    if (asked.action === 'create') validateCreate(object);
    const sent = asked.action === 'update' ? withResourceVersion(object, revision) : object;
    await forward(request, desk, { ...asked, sent }, { ...call, body: JSON.stringify(sent) });
  } finally {
    share.release();
  }
}

/** One call. What fits is delivered when the call is over, so that a slow client holds no connection to the API server. */
async function forward(request: Request, desk: Desk, asked: RequestInfo, call: UpstreamRequest): Promise<void> {
  const whole = await request.atWork(() =>
    desk.upstream.call(call, request.gone, async (answer) => {
      const outcome = await mapResponse(answer, asked, desk.rules);
      if (outcome.stream === undefined) return outcome;
      await deliverCounted(request, desk, outcome);
      return undefined;
    }),
  );
  if (whole !== undefined) await deliverCounted(request, desk, whole);
}

/** Counts what a client has yet to take, so that many who do not take theirs cannot exhaust the memory. */
async function deliverCounted(request: Request, desk: Desk, answer: HttpResponse): Promise<void> {
  const share = desk.budget.reserve();
  const { body = '', stream: rest } = answer;
  if (!share.grow(rest === undefined ? Buffer.byteLength(body) : MAX_BUFFERED))
    throw new StatusError('unavailable', { message: 'too many answers at once' });
  try {
    await request.deliver(rest === undefined ? answer : { ...answer, stream: counted(rest, share) });
  } finally {
    share.release();
  }
}

/** Gives the share back when the client has taken as much as was held at first: the rest is read as it is taken. */
async function* counted(rest: AsyncIterable<Buffer>, share: Reservation): AsyncGenerator<Buffer> {
  let taken = 0;
  for await (const chunk of rest) {
    yield chunk;
    taken += chunk.length;
    if (taken > MAX_BUFFERED) share.release();
  }
}

function localAnswer({ action }: Operation, desk: Desk): HttpResponse {
  if (action === 'openapi') return { code: 200, headers: { 'content-type': 'application/json' }, body: desk.openapi };
  if (action === 'ready' && !desk.ready()) throw new StatusError('unavailable', { message: 'not ready' });
  return emptyResponse(200);
}

function refuseBody(headers: HeaderMap): void {
  if (announcesBody(headers))
    throw new StatusError('malformed', { message: 'this operation takes no body', close: true });
}

/** DeleteOptions: only the object at that revision is deleted. */
function preconditions(resourceVersion: string): string {
  return JSON.stringify({ apiVersion: 'v1', kind: 'DeleteOptions', preconditions: { resourceVersion } });
}
