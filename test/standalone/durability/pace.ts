interface Sample {
  /** Ms from an arbitrary start. */
  readonly at: number;
  readonly count: number;
}

const SECOND = 1000;

/** How fast something that only rises has risen in the last second. */
export class Pace {
  #samples: Sample[] = [];

  note(count: number, at = performance.now()): void {
    this.#samples.push({ at, count });
    const begin = this.#samples.findLastIndex((one) => one.at <= at - SECOND);
    if (begin > 0) this.#samples.splice(0, begin);
  }

  /** Over the second up to the newest note; 0 while there is no whole second yet. */
  get perSecond(): number {
    const [first] = this.#samples;
    const last = this.#samples.at(-1);
    if (first === undefined || last === undefined || last.at - first.at < SECOND) return 0;
    return ((last.count - first.count) * SECOND) / (last.at - first.at);
  }
}
