// A network between a page and its server that can be taken away.

import net from 'node:net';

export class Network {
  #sockets = new Set();
  #target;
  #server;
  #port = 0;

  /** A network to a server; what is at the other end may change, its address not. */
  constructor(target) {
    this.#target = new URL(target);
  }

  /** Its address, once it is up. */
  get url() {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** Up, at the same address as before. */
  async up() {
    this.#server = net.createServer(near => {
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
    });
    await new Promise(resolve => this.#server.listen(this.#port, '127.0.0.1', resolve));
    this.#port = this.#server.address().port;
  }

  /** Gone: every connection breaks, and none can be made. */
  async down() {
    const closed = new Promise(resolve => this.#server.close(resolve));
    this.#sockets.forEach(socket => socket.destroy());
    await closed;
  }
}
