import type { Tracing, TracingOptions } from './otlp.js';

export type { Tracing } from './otlp.js';

/** Traces as the variables of OpenTelemetry say. Its SDK is loaded here and nowhere else. */
export async function openTracing(options: TracingOptions): Promise<Tracing> {
  const { startTracing } = await import('./otlp.js');
  return startTracing(options);
}
