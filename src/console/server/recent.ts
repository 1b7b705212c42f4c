/** Values by key, of which those that were used last are kept. */
export class Recent<T> {
  readonly #most: number;
  readonly #values = new Map<string, T>();

  constructor(most: number) {
    this.#most = most;
  }

  get(key: string): T | undefined {
    return this.#values.get(key);
  }

  set(key: string, value: T): void {
    this.#values.delete(key);
    this.#values.set(key, value);
    const [oldest] = this.#values.keys();
    if (this.#values.size > this.#most && oldest !== undefined) this.#values.delete(oldest);
  }

  delete(key: string): void {
    this.#values.delete(key);
  }

  /** The value of the key, made where it is missing; now it is the one that was used last. */
  use(key: string, make: () => T): T {
    const value = this.#values.get(key) ?? make();
    this.set(key, value);
    return value;
  }
}
