/** Listeners, called in the order in which they came. What one of them throws is reported and keeps nothing from the others. */
export class Signal<T> {
  readonly #listeners = new Set<(value: T) => void>();

  constructor(private readonly report: (error: unknown) => void) {}

  /** Returns what ends the listening. */
  listen(listener: (value: T) => void): () => void {
    const own = (value: T) => listener(value); // the same function may listen twice
    this.#listeners.add(own);
    return () => void this.#listeners.delete(own);
  }

  emit(value: T): void {
    for (const listener of [...this.#listeners]) {
      if (!this.#listeners.has(listener)) {
        continue; // gone because of what came before it
      }
      try {
        listener(value);
      } catch (error) {
        this.report(error);
      }
    }
  }

  clear(): void {
    this.#listeners.clear();
  }
}
