/** Interfaces through which code records traces. `otlp.ts` implements them, with the SDK of OpenTelemetry. */

/** Values by the names of OpenTelemetry's semantic conventions; undefined ones are left out. */
type Attributes = Readonly<Record<string, string | number | undefined>>;

export interface SpanStart {
  /** The name of the span. It names no object, so that there are few different ones. */
  readonly name: string;
  /** `server`: it handles a request of another process. */
  readonly kind: 'internal' | 'server';
  readonly attributes: Attributes;
  /** The header `traceparent` of the request; a valid one is the parent, any other is ignored. */
  readonly traceparent?: string | undefined;
}

/** How an operation has ended. `errorType`: its kind of failure, of low cardinality; undefined: none. */
interface SpanEnd {
  readonly attributes: Attributes;
  readonly errorType: string | undefined;
}

export interface Span {
  /** The header `traceparent` of the requests that this operation causes. */
  readonly traceparent: string | undefined;
  /** To be called once. */
  end(result: SpanEnd): void;
}

/** Starts spans. Neither it nor a span throws or waits. */
export interface Tracer {
  /** Begins the names of attributes that OpenTelemetry's conventions do not have, such as `example.`. */
  readonly prefix: string;
  start(span: SpanStart): Span;
}
