import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

/** Creates collectors in a registry. `help`: the help text of each collector by its name. */
export class Collectors<Name extends string> {
  readonly #registers: Registry[];
  readonly #help: Readonly<Record<Name, string>>;

  constructor(registry: Registry, help: Readonly<Record<Name, string>>) {
    this.#registers = [registry];
    this.#help = help;
  }

  counter<Label extends string>(name: Name, labelNames: readonly Label[]): Counter<Label> {
    return new Counter({ name, help: this.#help[name], labelNames, registers: this.#registers });
  }

  histogram<Label extends string>(name: Name, labelNames: readonly Label[], buckets: number[]): Histogram<Label> {
    return new Histogram({ name, help: this.#help[name], labelNames, buckets, registers: this.#registers });
  }

  gauge<Label extends string>(name: Name, labelNames: readonly Label[]): Gauge<Label> {
    return new Gauge({ name, help: this.#help[name], labelNames, registers: this.#registers });
  }

  /** A gauge whose values `collect` sets at each scrape. Values of earlier scrapes are removed. */
  collectedGauge<Label extends string>(
    name: Name,
    labelNames: readonly Label[],
    collect: (gauge: Gauge<Label>) => void,
  ): void {
    new Gauge({
      name,
      help: this.#help[name],
      labelNames,
      registers: this.#registers,
      collect() {
        this.reset();
        collect(this);
      },
    });
  }
}
