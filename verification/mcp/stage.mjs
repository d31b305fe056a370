// The fixture's process, which the Java test owns: clients have it killed and started again on the same folder, at another port each time.

const STAGE = process.env.MCP_STAGE;

async function ask(what) {
  const response = await fetch(`${STAGE}/${what}`, { method: 'POST' });
  const said = await response.text();
  if (!response.ok) {
    throw new Error(`${what}: ${said}`);
  }
  return said;
}

/** A server with a folder of its own, which outlives it. */
export class Stage {
  #name;

  constructor(name) {
    this.#name = encodeURIComponent(name);
  }

  /** Starts it; its address. */
  start() {
    return ask(`start/${this.#name}`);
  }

  /** SIGKILL; it is gone when this returns. */
  async kill() {
    await ask(`kill/${this.#name}`);
  }
}
