// A network between clients and a server that breaks at chosen places, and whose server may move.

import net from 'node:net';
import { joined } from '../shared/network.mjs';

/** Counts what an event stream brings, whatever pieces it comes in. Frames end with an empty line; heads and chunk sizes are no frames. */
class Limit {
  #frames;
  #bytes;
  #inBody = false;
  #tail = '';

  constructor({ frames, bytes }) {
    this.#frames = frames;
    this.#bytes = bytes;
  }

  /** How many of these bytes may pass; fewer than all once the limit is reached. */
  passes(data) {
    for (let i = 0; i < data.length; i++) {
      if (this.#inBody && this.#frames <= 0 && this.#bytes-- <= 0) {
        return i;
      }
      this.#tail = (this.#tail + String.fromCharCode(data[i])).slice(-4);
      if (!this.#inBody) {
        this.#inBody = this.#tail === '\r\n\r\n';
      } else if (this.#tail.endsWith('\n\n')) {
        this.#frames--;
        this.#tail = '';
      }
    }
    return data.length;
  }
}

export class Network {
  #sockets = new Set();
  #server;
  #target;
  #isUp = true;
  #wanted;
  #cuts;

  /** How many answers were cut. */
  harmed = 0;

  /**
   * @param wanted says of what a client sends whether the answer to it may be harmed
   * @param cuts after how many frames, and bytes of the next, the first of those answers are cut; the others pass
   */
  constructor(target, wanted = () => false, cuts = []) {
    this.#target = new URL(target);
    this.#wanted = wanted;
    this.#cuts = [...cuts];
  }

  /** Listens from now on. */
  async open() {
    this.#server = net.createServer(near => this.#connect(near)).unref();
    await new Promise(resolve => this.#server.listen(0, '127.0.0.1', resolve));
    return this;
  }

  /** The server's address as clients see it. */
  get url() {
    return new URL(this.#target.pathname, `http://127.0.0.1:${this.#server.address().port}`);
  }

  /** The server is elsewhere now. */
  move(target) {
    this.#target = new URL(target);
  }

  /** Every connection breaks, and none lasts that is made. */
  down() {
    this.#isUp = false;
    this.#sockets.forEach(socket => socket.resetAndDestroy());
  }

  up() {
    this.#isUp = true;
  }

  close() {
    this.down();
    this.#server.close();
  }

  #connect(near) {
    if (!this.#isUp) {
      near.resetAndDestroy();
      return;
    }
    const far = joined(near, this.#target, this.#sockets);
    let limit;
    near.on('data', data => {
      if (this.#cuts.length > 0 && this.#wanted(data.toString('latin1'))) {
        limit = new Limit(this.#cuts.shift());
      }
      far.write(data);
    });
    far.on('data', data => {
      const passes = limit ? limit.passes(data) : data.length;
      if (passes === data.length) {
        near.write(data);
        return;
      }
      this.harmed++;
      // What passed must arrive before the reset does, which would throw it away on the other side.
      near.write(data.subarray(0, passes), () => setImmediate(() => setTimeout(() => near.resetAndDestroy(), 20)));
      far.removeAllListeners('data');
      far.resetAndDestroy();
    });
  }
}
