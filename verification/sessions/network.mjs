// A network between a page and its server, which can be taken away, cuts connections, and sees what passes.

import net from 'node:net';

export class Network {
  #sockets = new Set();
  #server;
  #isUp = true;

  /** Connections that were cut because of their age or of what had passed. */
  cuts = 0;

  /** What came from the server, of all connections. */
  #passed = '';

  /**
   * @param target what `net.connect` takes
   * @param options `bytes` or `millis`, after which each connection is cut; whichever comes first
   */
  static async to(target, options = {}) {
    const network = new Network();
    network.#server = net.createServer(near => network.#connect(near, target, options)).unref();
    await new Promise(resolve => network.#server.listen(0, '127.0.0.1', resolve));
    return network;
  }

  get url() {
    return `http://127.0.0.1:${this.#server.address().port}`;
  }

  #connect(near, target, { bytes = Infinity, millis }) {
    if (!this.#isUp) {
      near.destroy();
      return;
    }
    const far = net.connect(target);
    const end = () => [near, far].forEach(socket => socket.destroy());
    const cut = () => {
      this.cuts += 1;
      end();
    };
    const timer = millis === undefined ? undefined : setTimeout(cut, millis).unref();
    for (const socket of [near, far]) {
      this.#sockets.add(socket);
      socket.setNoDelay(true);
      socket.on('error', () => {});
      socket.on('close', () => {
        this.#sockets.delete(socket);
        clearTimeout(timer);
        end();
      });
    }
    let left = bytes;
    far.on('data', data => {
      this.#passed += data.toString('latin1');
      left -= data.length;
      if (left > 0) {
        near.write(data);
      } else {
        near.write(data.subarray(0, data.length + left), cut); // in the middle of whatever it is
      }
    });
    far.on('end', () => near.end());
    near.pipe(far);
  }

  /** How many messages of a type came from the server. */
  messages = type => this.#passed.split(`"type":"${type}"`).length - 1;

  up() {
    this.#isUp = true;
  }

  /** Gone: every connection breaks, and none lasts that is made. */
  down() {
    this.#isUp = false;
    this.#sockets.forEach(socket => socket.destroy());
  }

  close() {
    this.down();
    this.#server.close();
  }
}
