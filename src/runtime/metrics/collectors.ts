import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { yieldToEventLoop } from '../clock.js';

/** Creates collectors in a registry. `help`: the help text of each collector by its name; `prefix`: begins each name. */
export class Collectors<Name extends string> {
  readonly #registers: Registry[];
  readonly #help: Readonly<Record<Name, string>>;
  readonly #prefix: string;

  constructor(registry: Registry, help: Readonly<Record<Name, string>>, prefix = '') {
    this.#registers = [registry];
    this.#help = help;
    this.#prefix = prefix;
  }

  counter<Label extends string>(name: Name, labelNames: readonly Label[]): Counter<Label> {
    return new Counter({ ...this.#named(name), labelNames, registers: this.#registers });
  }

  histogram<Label extends string>(name: Name, labelNames: readonly Label[], buckets: number[]): Histogram<Label> {
    return new Histogram({ ...this.#named(name), labelNames, buckets, registers: this.#registers });
  }

  gauge<Label extends string>(name: Name, labelNames: readonly Label[]): Gauge<Label> {
    return new Gauge({ ...this.#named(name), labelNames, registers: this.#registers });
  }

  /** A gauge whose values `collect` sets at each scrape. Values of earlier scrapes are removed. */
  collectedGauge<Label extends string>(
    name: Name,
    labelNames: readonly Label[],
    collect: (gauge: Gauge<Label>) => void,
  ): void {
    new Gauge({
      ...this.#named(name),
      labelNames,
      registers: this.#registers,
      collect() {
        this.reset();
        collect(this);
      },
    });
  }

  #named(name: Name): { readonly name: string; readonly help: string } {
    return { name: `${this.#prefix}${name}`, help: this.#help[name] };
  }
}

/** A gauge with one series for each of many objects. */
export interface ObjectGauge<T> {
  readonly name: string;
  readonly help: string;
  /** Each name with what gives the value of an object, in the order of the text. */
  readonly labels: readonly (readonly [name: string, valueOf: (object: T) => string])[];
  readonly value: (object: T) => number;
}

/** Series that are written before other work gets its turn: one or two milliseconds. */
const SERIES_AT_ONCE = 1_000;

/**
 * Gauges of objects of which there may be tens of thousands. prom-client makes and keeps an object and a key for each series
 * at each scrape, and writes them all in one turn of the event loop: 150 ms and 11 MB for three gauges of 10,000 objects.
 */
export class ObjectGauges<T> {
  readonly gauges: readonly ObjectGauge<T>[];
  readonly #objects: () => Iterable<T>;

  /** `objects`: with label values that differ, as two series with the same ones would make the scrape invalid. */
  constructor(gauges: readonly ObjectGauge<T>[], objects: () => Iterable<T>) {
    this.gauges = gauges;
    this.#objects = objects;
  }

  /** Adds the gauges in the Prometheus text format 0.0.4: all of the objects that there were when it was called. */
  async addTo(text: EncodedText): Promise<void> {
    const objects = [...this.#objects()];
    for (const gauge of this.gauges) {
      text.add(`# HELP ${gauge.name} ${gauge.help}\n# TYPE ${gauge.name} gauge\n`);
      for (let at = 0; at < objects.length; at += SERIES_AT_ONCE) {
        for (const object of objects.slice(at, at + SERIES_AT_ONCE)) text.add(lineOf(gauge, object));
        await yieldToEventLoop();
      }
    }
  }
}

/**
 * A text that is encoded as it grows, in UTF-8. A string that grows keeps all of its parts, which V8 would copy into the old
 * generation; and of bytes outside the heap, too, it collects the whole heap after a few MB.
 */
export class EncodedText {
  #bytes: Buffer;
  #used = 0;

  /** `expected`: bytes; a longer text is copied when it grows. */
  constructor(expected: number) {
    this.#bytes = Buffer.allocUnsafe(expected);
  }

  add(text: string): void {
    const needed = this.#used + Buffer.byteLength(text);
    if (needed > this.#bytes.length) {
      const larger = Buffer.allocUnsafe(needed * 2);
      this.#bytes.copy(larger, 0, 0, this.#used);
      this.#bytes = larger;
    }
    this.#used += this.#bytes.write(text, this.#used);
  }

  end(): Buffer {
    return this.#bytes.subarray(0, this.#used);
  }
}

function lineOf<T>({ name, labels, value }: ObjectGauge<T>, object: T): string {
  let line = `${name}{`;
  for (const [index, [label, valueOf]] of labels.entries())
    line += `${index === 0 ? '' : ','}${label}="${escaped(valueOf(object))}"`;
  return `${line}} ${value(object)}\n`;
}

/** As the format wants a label value. */
function escaped(value: string): string {
  return /[\\\n"]/.test(value) ? value.replace(/\\/g, '\\\\').replace(/\n/g, '\\n').replace(/"/g, '\\"') : value;
}
