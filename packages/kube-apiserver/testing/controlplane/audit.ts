import { open } from 'node:fs/promises';

import type { AnyObject } from './api.js';

/** A request with a response, from the API server's audit log. */
export interface LoggedRequest {
  /** Position in this log. */
  readonly sequence: number;
  readonly user: string;
  readonly groups: readonly string[];
  readonly userAgent: string;
  /**
   * get, list, watch, create, update, patch, delete, deletecollection; for non-resource paths the HTTP method in lower
   * case.
   */
  readonly verb: string;
  readonly uri: string;
  /** Empty for non-resource paths. */
  readonly resource: string;
  readonly apiGroup: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
  /** HTTP status. */
  readonly code: number;
  /** The failure's message or reason; empty where it succeeded. */
  readonly message: string;
  /** Ms since the epoch, with microseconds. */
  readonly receivedAt: number;
  readonly answeredAt: number;
  /** Why the authorizer allowed it, e.g. `RBAC: allowed by ClusterRoleBinding "x" of ClusterRole "y" to …`. */
  readonly allowedBy: string;
  /** Bodies, with the levels Request and RequestResponse. */
  readonly requestObject: AnyObject | undefined;
  readonly responseObject: AnyObject | undefined;
}

/** All given fields must match. */
export interface RequestFilter {
  readonly user?: string | RegExp;
  readonly verbs?: readonly string[];
  /** `plural`, or `plural/subresource`; in any group. */
  readonly resources?: readonly string[];
  readonly namespace?: string;
  readonly name?: string;
  /** Only entries after this position (`logMark`). */
  readonly after?: number;
}

/** The verbs that write. */
export const WRITES = ['create', 'update', 'patch', 'delete', 'deletecollection'] as const;

interface AuditEvent {
  readonly auditID: string;
  readonly stage: string;
  readonly requestURI: string;
  readonly verb: string;
  readonly user?: { readonly username?: string; readonly groups?: readonly string[] };
  readonly userAgent?: string;
  readonly objectRef?: { readonly [field: string]: string | undefined };
  readonly responseStatus?: { readonly code?: number; readonly message?: string; readonly reason?: string };
  readonly requestReceivedTimestamp: string;
  readonly stageTimestamp: string;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly requestObject?: AnyObject;
  readonly responseObject?: AnyObject;
}

/** Reads a growing audit log incrementally. */
export class AuditLog {
  readonly #file: string;
  readonly #entries: LoggedRequest[] = [];
  readonly #begun = new Set<string>();
  #offset = 0;
  #rest: Buffer = Buffer.alloc(0);
  #reading: Promise<void> = Promise.resolve();

  constructor(file: string) {
    this.#file = file;
  }

  /** All entries up to the current end of the file. */
  async entries(): Promise<readonly LoggedRequest[]> {
    this.#reading = this.#reading.then(() => this.#readOn());
    await this.#reading;
    return this.#entries;
  }

  async #readOn(): Promise<void> {
    const file = await open(this.#file).catch(() => undefined);
    if (file === undefined) return;
    try {
      const { size } = await file.stat();
      const chunk = Buffer.alloc(Math.max(size - this.#offset, 0));
      const { bytesRead } = await file.read(chunk, 0, chunk.length, this.#offset);
      this.#offset += bytesRead;
      this.#take(Buffer.concat([this.#rest, chunk.subarray(0, bytesRead)]));
    } finally {
      await file.close();
    }
  }

  #take(text: Buffer): void {
    const end = text.lastIndexOf(10) + 1;
    this.#rest = text.subarray(end);
    for (const line of text.subarray(0, end).toString('utf8').split('\n')) {
      if (line !== '') this.#add(line);
    }
  }

  // A watch is logged twice, at its start and at its end: the first entry counts.
  #add(line: string): void {
    const event = parse(line);
    if (event === undefined || this.#begun.delete(event.auditID)) return;
    if (event.stage === 'ResponseStarted') this.#begun.add(event.auditID);
    this.#entries.push(entry(event, this.#entries.length + 1));
  }
}

const BEGINNING = '{"kind":"Event"';

// A killed server leaves an incomplete line; the next server appends its first line to it.
function parse(line: string): AuditEvent | undefined {
  try {
    const event: AuditEvent = JSON.parse(line.slice(Math.max(line.lastIndexOf(BEGINNING), 0)));
    return event;
  } catch {
    return undefined;
  }
}

function entry(event: AuditEvent, sequence: number): LoggedRequest {
  const { objectRef = {}, responseStatus = {}, annotations = {} } = event;
  const code = responseStatus.code ?? 0;
  return {
    sequence,
    user: event.user?.username ?? '',
    groups: event.user?.groups ?? [],
    userAgent: event.userAgent ?? '',
    verb: event.verb,
    uri: event.requestURI,
    resource: objectRef['resource'] ?? '',
    apiGroup: objectRef['apiGroup'] ?? '',
    subresource: objectRef['subresource'] ?? '',
    namespace: objectRef['namespace'] ?? '',
    name: objectRef['name'] ?? '',
    code,
    message: code < 400 ? '' : (responseStatus.message ?? responseStatus.reason ?? ''),
    receivedAt: Date.parse(event.requestReceivedTimestamp),
    answeredAt: Date.parse(event.stageTimestamp),
    allowedBy: annotations['authorization.k8s.io/reason'] ?? '',
    requestObject: event.requestObject,
    responseObject: event.responseObject,
  };
}

/** Whether an entry matches the filter. */
export function matchesFilter(one: LoggedRequest, filter: RequestFilter): boolean {
  const { user, verbs, resources, namespace, name, after } = filter;
  const resource = one.subresource === '' ? one.resource : `${one.resource}/${one.subresource}`;
  if (user !== undefined && !(typeof user === 'string' ? user === one.user : user.test(one.user))) return false;
  if (verbs !== undefined && !verbs.includes(one.verb)) return false;
  if (resources !== undefined && !resources.includes(resource)) return false;
  if (namespace !== undefined && namespace !== one.namespace) return false;
  if (name !== undefined && name !== one.name) return false;
  return after === undefined || one.sequence > after;
}
