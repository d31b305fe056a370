/** Whether a link is suspended. Nothing follows a suspension before it has arrived, since over SSE it could be overtaken. */
export class Suspension {
  #isOn = false;
  #underWay = 0;
  #due: (() => void) | undefined;

  get isOn(): boolean {
    return this.#isOn;
  }

  /** It is sent. Returns what to call once it has arrived. */
  begin(): () => void {
    this.#isOn = true;
    this.#underWay++;
    return () => {
      this.#underWay--;
      this.#settle();
    };
  }

  /**
   * It ends as soon as it has arrived.
   *
   * @param over called then
   * @param again called instead if another one begins before
   */
  end(over: () => void, again: () => void): void {
    this.#isOn = false;
    this.#due = () => (this.#isOn ? again() : over());
    this.#settle();
  }

  #settle(): void {
    const due = this.#due;
    if (this.#underWay === 0 && due !== undefined) {
      this.#due = undefined;
      due();
    }
  }
}
