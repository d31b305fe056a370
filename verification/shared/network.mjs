// A network between a page and its server that can be taken away.

import net from 'node:net';

export class Network {
  #sockets = new Set();
  #target;
  #server;
  #isUp = false;

  /** A network to a server; what is at the other end may change, its address not. */
  constructor(target) {
    this.#target = new URL(target);
  }

  /** Its address, once it is up. */
  get url() {
    return `http://127.0.0.1:${this.#server.address().port}`;
  }

  /** Up, at the same address as before: it listens all the time, so that nobody else gets its port. */
  async up() {
    this.#isUp = true;
    if (!this.#server) {
      this.#server = net.createServer(near => this.#connect(near)).unref();
      await new Promise(resolve => this.#server.listen(0, '127.0.0.1', resolve));
    }
  }

  #connect(near) {
    if (!this.#isUp) {
      near.destroy();
      return;
    }
    const far = net.connect(Number(this.#target.port), this.#target.hostname);
    for (const socket of [near, far]) {
      this.#sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => {
        this.#sockets.delete(socket);
        near.destroy();
        far.destroy();
      });
    }
    near.pipe(far);
    far.pipe(near);
  }

  /** Gone: every connection breaks, and none lasts that is made. */
  down() {
    this.#isUp = false;
    this.#sockets.forEach(socket => socket.destroy());
  }
}
