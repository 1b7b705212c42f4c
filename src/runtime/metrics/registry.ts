import { collectDefaultMetrics, Counter, Gauge, Registry } from 'prom-client';
import type { Build } from '../process/build.js';
import { EncodedText, type ObjectGauge, type ObjectGauges } from './collectors.js';

/**
 * Sampling interval of the event loop lag, ms. Each sample wakes the process; with prom-client's default of 10 ms they are most
 * of the load of an idle process. `nodejs_eventloop_lag_*_seconds` include the interval.
 */
const EVENT_LOOP_SAMPLE_MS = 100;

/** The size of the buffer for the first text. */
const FIRST_BYTES = 16 * 1024;

/** A metric without its values. */
export interface MetricDescription {
  readonly name: string;
  /** `counter`, `gauge` or `histogram`. */
  readonly type: string;
  readonly labels: readonly string[];
  readonly help: string;
}

/** What the metrics of each process have: the metric of its log, and all metrics as text. */
export interface Exposition {
  readonly logs: ReturnType<typeof logMetrics>;
  readonly contentType: string;
  /** In UTF-8. Calls during another one get its text: with many series one is written in many turns of the event loop. */
  text(): Promise<Buffer>;
  /** All metrics, in the order of the text. */
  descriptions(): readonly MetricDescription[];
}

/** The metrics of a process. */
export class ProcessRegistry extends Registry {
  /** Begins the names of metrics that neither client-go nor controller-runtime has, such as `example_`. */
  readonly prefix: string;

  constructor(prefix: string) {
    super();
    this.prefix = prefix;
  }
}

const UNKNOWN_BUILD: Build = { version: '', commit: '', date: '' };

/** A registry with prom-client's default metrics of a Node process, and what the program was built from. */
export function createProcessRegistry(
  prefix: string,
  { version, commit, date }: Build = UNKNOWN_BUILD,
): ProcessRegistry {
  const registry = new ProcessRegistry(prefix);
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: EVENT_LOOP_SAMPLE_MS });
  const info = new Gauge({
    name: `${prefix}build_info`,
    help: 'The version of the program, and the commit with its date that it was built from, always 1',
    labelNames: ['version', 'commit', 'date'],
    registers: [registry],
  });
  info.set({ version, commit, date }, 1);
  return registry;
}

/** The metrics as text. `objects`: metrics with a series for each object, which the registry does not have. */
export function expositionOf<T>(registry: ProcessRegistry, objects?: ObjectGauges<T>): Exposition {
  let expected = FIRST_BYTES;
  const write = async (): Promise<Buffer> => {
    const text = new EncodedText(expected);
    text.add(await registry.metrics());
    await objects?.addTo(text);
    const whole = text.end();
    // Somewhat longer than the last one: there are new series, and numbers grow.
    expected = Math.ceil(whole.length * 1.1);
    return whole;
  };
  let writing: Promise<Buffer> | undefined;
  return {
    logs: logMetrics(registry),
    contentType: registry.contentType,
    text: () => (writing ??= write().finally(() => (writing = undefined))),
    descriptions: () => [...registry.getMetricsAsArray().map(describe), ...(objects?.gauges.map(describeGauge) ?? [])],
  };
}

function describe(metric: object): MetricDescription {
  const fields = new Map<string, unknown>(Object.entries(metric));
  const labels = fields.get('labelNames');
  return {
    name: String(fields.get('name')),
    type: String(fields.get('type')),
    labels: Array.isArray(labels) ? labels.map(String) : [],
    help: String(fields.get('help')),
  };
}

function describeGauge<T>({ name, labels, help }: ObjectGauge<T>): MetricDescription {
  return { name, type: 'gauge', labels: labels.map(([label]) => label), help };
}

function logMetrics(registry: ProcessRegistry) {
  let dropped = (): number => 0;
  new Counter({
    name: `${registry.prefix}log_dropped_lines_total`,
    help: 'Log lines that were dropped because standard output could not be written',
    registers: [registry],
    collect() {
      this.reset();
      this.inc(dropped());
    },
  });
  /** Sets the function that returns the number of lines that were dropped so far; it is called at each scrape. */
  return { dropped: (read: () => number): void => void (dropped = read) };
}
