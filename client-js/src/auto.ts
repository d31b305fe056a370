import { MAX_FAILED_UPGRADES } from './limits.js';
import type { Link, LinkEvents, Transport } from './transport.js';

/**
 * WebSocket first. When two upgrades in a row fail, SSE: for good, once that got a welcome; where it gets none either, the server or the network is down, and
 * WebSocket has its chance again.
 */
export class AutoTransport implements Transport {
  #failed = 0;
  #settled = false;

  constructor(
    private readonly webSocket: Transport,
    private readonly sse: Transport,
  ) {}

  open(events: LinkEvents): Link {
    return this.#failed < MAX_FAILED_UPGRADES
      ? this.#watched(this.webSocket, events, welcomed => (this.#failed = welcomed ? 0 : this.#failed + 1))
      : this.#watched(this.sse, events, welcomed => {
          this.#settled ||= welcomed;
          this.#failed = this.#settled ? this.#failed : 0;
        });
  }

  #watched(transport: Transport, events: LinkEvents, outcome: (welcomed: boolean) => void): Link {
    let open = true;
    const decide = (welcomed: boolean) => {
      if (open) {
        open = false;
        outcome(welcomed);
      }
    };
    const link = transport.open({
      message: message => {
        if (message.type === 'welcome') {
          decide(true);
        }
        events.message(message);
      },
      lost: loss => {
        decide(false);
        events.lost(loss);
      },
    });
    return {
      kind: link.kind,
      send: (command, answered) => link.send(command, answered),
      sendLast: (command, settled) => link.sendLast(command, settled),
      close: () => {
        open = false; // given up by the client: says nothing about the way
        link.close();
      },
    };
  }
}
