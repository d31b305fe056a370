/** A pause that doubles, with jitter: half to one and a half of its length. */
export class Backoff {
  #next: number;

  constructor(
    private readonly first: number,
    private readonly longest: number,
    private readonly random: () => number,
  ) {
    this.#next = first;
  }

  next(): number {
    const pause = this.#next;
    this.#next = Math.min(pause * 2, this.longest);
    return spread(pause, this.random);
  }

  reset(): void {
    this.#next = this.first;
  }
}

export function spread(millis: number, random: () => number): number {
  return Math.round(millis * (0.5 + random()));
}
