import type { RequestInfo } from './requestinfo.js';
import type { Decision } from '../auth/authorizer.js';
import { isObject, type Json, type JsonObject, own } from '@multicluster-engine/values/json';
import type { ApiRequest, ApiResponse } from '../request.js';
import type { UserInfo } from '../user.js';
import type { Clock } from '../clock.js';

/** The part of a request that is recorded. */
export type AuditLevel = 'Metadata' | 'Request' | 'RequestResponse';

/**
 * The audit event of a running request. `finish` returns the response, wrapped where it is a stream, to see its end.
 */
export interface AuditedRequest {
  sender(user: UserInfo): void;
  actingAs(user: UserInfo): void;
  decided(decision: Decision): void;
  /** The first value of a key is kept. */
  annotate(key: string, value: string): void;
  /** The decoded body. */
  body(value: Json): void;
  finish(answer: ApiResponse): ApiResponse;
}

export interface AuditLog {
  begin(request: ApiRequest, info: RequestInfo, id: string): AuditedRequest;
}

export const NO_AUDIT: AuditedRequest = {
  sender: () => undefined,
  actingAs: () => undefined,
  decided: () => undefined,
  annotate: () => undefined,
  body: () => undefined,
  finish: (answer) => answer,
};

interface AuditOptions {
  readonly clock: Clock;
  readonly level: AuditLevel;
  /** Receives one line, without the line feed. */
  readonly write: (line: string) => void;
}

const HEALTH = /^\/(?:healthz|livez|readyz)(?:\/|$)/;

/**
 * Writes one `Event` of audit.k8s.io/v1 per request, and one more when a watch starts, with the fields of
 * kube-apiserver. Leaves out health checks and managedFields.
 */
export function createAuditLog({ clock, level, write }: AuditOptions): AuditLog {
  return {
    begin(request, info, id) {
      if (!info.isResource && HEALTH.test(info.path)) return NO_AUDIT;
      const received = stamp(clock);
      const event: Record<string, Json> = {};
      const annotations: Record<string, string | undefined> = {};
      let requestObject: Json | undefined;
      const line = (stage: string, answer: ApiResponse): void => {
        const objects =
          level === 'Metadata'
            ? {}
            : { requestObject, responseObject: level === 'RequestResponse' ? bodyOf(answer) : undefined };
        write(
          JSON.stringify({
            ...headOf({ level, id, stage, request, info }),
            ...event,
            sourceIPs: [request.from ?? '127.0.0.1'],
            userAgent: request.headers['user-agent'],
            ...(info.isResource ? { objectRef: objectRef(info, requestObject) } : {}),
            responseStatus: responseStatus(answer),
            ...objects,
            requestReceivedTimestamp: received,
            stageTimestamp: stamp(clock),
            annotations,
          }),
        );
      };
      return {
        sender: (user) => void (event['user'] = userOf(user)),
        actingAs: (user) => void (event['impersonatedUser'] = userOf(user)),
        decided({ allowed, reason }) {
          annotations['authorization.k8s.io/decision'] = allowed ? 'allow' : 'forbid';
          annotations['authorization.k8s.io/reason'] = reason;
        },
        annotate: (key, value) => void (annotations[key] ??= value),
        body: (value) => void (requestObject = withoutManagers(value)),
        finish: (answer) => finish(answer, line),
      };
    },
  };
}

function finish(answer: ApiResponse, line: (stage: string, answer: ApiResponse) => void): ApiResponse {
  if (answer.body.kind !== 'stream') {
    line('ResponseComplete', answer);
    return answer;
  }
  line('ResponseStarted', answer);
  return {
    ...answer,
    body: { ...answer.body, values: toEnd(answer.body.values, () => line('ResponseComplete', answer)) },
  };
}

async function* toEnd(values: AsyncIterable<Json>, ended: () => void): AsyncIterable<Json> {
  try {
    yield* values;
  } finally {
    ended();
  }
}

interface Head {
  readonly level: AuditLevel;
  readonly id: string;
  readonly stage: string;
  readonly request: ApiRequest;
  readonly info: RequestInfo;
}

function headOf({ level, id, stage, request, info }: Head): JsonObject {
  return {
    kind: 'Event',
    apiVersion: 'audit.k8s.io/v1',
    level,
    auditID: id,
    stage,
    requestURI: request.target,
    verb: info.verb,
  };
}

function userOf({ name, uid, groups, extra }: UserInfo): JsonObject {
  return { username: name, uid, groups, ...(extra === undefined ? {} : { extra }) };
}

function objectRef(info: RequestInfo, body: Json | undefined): JsonObject {
  const metadata = isObject(body) ? own(body, 'metadata') : undefined;
  const given = isObject(metadata) ? own(metadata, 'name') : undefined;
  const name = info.name === '' && info.verb === 'create' && typeof given === 'string' ? given : info.name;
  const { resource, namespace, group, version, subresource } = info;
  return { resource, ...some({ namespace, name, apiGroup: group }), apiVersion: version, ...some({ subresource }) };
}

function some(fields: Readonly<Record<string, string>>): JsonObject {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== ''));
}

function responseStatus({ code, body }: ApiResponse): JsonObject {
  const value = body.kind === 'stream' ? undefined : body.value;
  if (!isObject(value) || value['kind'] !== 'Status') return { metadata: {}, code };
  const { kind: _kind, apiVersion: _version, ...status } = value;
  return { ...status, code };
}

function bodyOf({ body }: ApiResponse): Json | undefined {
  const value = body.kind === 'stream' ? undefined : body.value;
  return value === undefined ? undefined : withoutManagers(value);
}

function withoutManagers(value: Json): Json {
  const metadata = isObject(value) ? own(value, 'metadata') : undefined;
  if (!isObject(value) || !isObject(metadata) || metadata['managedFields'] === undefined) return value;
  return { ...value, metadata: { ...metadata, managedFields: undefined } };
}

// The clock has milliseconds; the format has microseconds.
function stamp(clock: Clock): string {
  return `${new Date(clock.now()).toISOString().slice(0, -1)}000Z`;
}
