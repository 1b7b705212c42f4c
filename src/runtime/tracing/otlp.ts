import { randomUUID } from 'node:crypto';
import {
  defaultTextMapGetter,
  defaultTextMapSetter,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  type Tracer as OtelTracer,
} from '@opentelemetry/api';
import { ExportResultCode, W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { defaultResource, detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import { BasicTracerProvider, BatchSpanProcessor, type SpanExporter } from '@opentelemetry/sdk-trace-base';
import { within, type Clock } from '../clock.js';
import { errorText } from '../errors.js';
import type { Logger } from '../logger.js';
import type { Span, SpanStart, Tracer } from './tracer.js';

export interface TracingOptions {
  /** Name of the program: the instrumentation scope of its spans. */
  readonly program: string;
  /** See `Tracer`. */
  readonly prefix: string;
  /** Name of the service, where OTEL_SERVICE_NAME is not set. */
  readonly service: string;
  /** Version of this program. */
  readonly version: string;
  readonly clock: Clock;
  readonly log: Logger;
}

/** The traces of a process. */
export interface Tracing {
  readonly tracer: Tracer;
  /** Sends the spans that wait, for at most 2 s. Never rejects. */
  close(): Promise<void>;
}

const CLOSE_MS = 2_000;
const KINDS = { internal: SpanKind.INTERNAL, server: SpanKind.SERVER } as const;
const propagator = new W3CTraceContextPropagator();

/** Starts the SDK. It reads OTEL_EXPORTER_OTLP_*, OTEL_BSP_*, OTEL_TRACES_SAMPLER*, OTEL_SERVICE_NAME and the like itself. */
export function startTracing({ program, prefix, service, version, clock, log }: TracingOptions): Tracing {
  const own = resourceFromAttributes({
    'service.name': service,
    'service.version': version,
    'service.instance.id': randomUUID(),
  });
  const exporter = loggedExporter(new OTLPTraceExporter(), log);
  const provider = new BasicTracerProvider({
    resource: defaultResource()
      .merge(own)
      .merge(detectResources({ detectors: [envDetector] })),
    spanProcessors: [new BatchSpanProcessor(exporter)],
  });
  return {
    tracer: tracerOf(prefix, provider.getTracer(program, version)),
    close: async () => void (await within(clock, CLOSE_MS, provider.shutdown())),
  };
}

function tracerOf(prefix: string, tracer: OtelTracer): Tracer {
  return { prefix, start: (span) => startSpan(tracer, span) };
}

function startSpan(tracer: OtelTracer, { name, kind, attributes, traceparent }: SpanStart): Span {
  // Only traceparent: tracestate would pass text of a client on.
  const parent = propagator.extract(ROOT_CONTEXT, { traceparent }, defaultTextMapGetter);
  const span = tracer.startSpan(name, { kind: KINDS[kind], attributes }, parent);
  const carrier: { traceparent?: string } = {};
  propagator.inject(trace.setSpan(ROOT_CONTEXT, span), carrier, defaultTextMapSetter);
  return {
    traceparent: carrier.traceparent,
    end: ({ attributes: found, errorType }) => {
      span.setAttributes(found);
      if (errorType !== undefined) {
        span.setAttribute('error.type', errorType);
        span.setStatus({ code: SpanStatusCode.ERROR });
      }
      span.end();
    },
  };
}

/** Logs when exporting begins to fail, and when it works again. */
function loggedExporter(exporter: SpanExporter, log: Logger): SpanExporter {
  let failing = false;
  return {
    export: (spans, done) =>
      exporter.export(spans, (result) => {
        const fails = result.code !== ExportResultCode.SUCCESS;
        if (fails && !failing) log.warn({ reason: errorText(result.error) }, 'traces cannot be exported');
        if (failing && !fails) log.info({}, 'traces are exported again');
        failing = fails;
        done(result);
      }),
    shutdown: () => exporter.shutdown(),
  };
}
