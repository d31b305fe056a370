// A network between a page and its server that can be taken away.

import net from 'node:net';

/** Connects who came from one side to the other. Both are among the sockets for as long as they live, and end together. Returns the other end. */
export function joined(near, target, sockets) {
  const far = net.connect(Number(target.port), target.hostname);
  for (const socket of [near, far]) {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => {
      sockets.delete(socket);
      near.destroy();
      far.destroy();
    });
  }
  return far;
}

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
    const far = joined(near, this.#target, this.#sockets);
    near.pipe(far);
    far.pipe(near);
  }

  /** Gone: every connection breaks, and none lasts that is made. */
  down() {
    this.#isUp = false;
    this.#sockets.forEach(socket => socket.destroy());
  }
}
