import type { ClientMessage, ReconnectCommand, ServerMessage } from '../../src/protocol.js';
import type { Answer, Link, LinkEvents, Transport } from '../../src/transport.js';

/** Numbers that depend on the seed alone. */
export function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

interface ModelLink {
  readonly events: LinkEvents;
  /** What is on its way down, and replies, in their two orders. */
  readonly down: ServerMessage[];
  readonly replies: (() => void)[];
  /** Where each session that is watched stands. */
  readonly watched: Map<string, number>;
  cut: boolean;
}

/**
 * A server of sessions whose events are numbers, over a network that delays, doubles and drops frames, answers late, and breaks. A cursor names how many events
 * were seen; below `kept` they are gone.
 */
export class ModelServer implements Transport {
  readonly logs = new Map<string, number[]>();
  readonly kept = new Map<string, number>();
  readonly accepted: string[] = [];
  readonly links: ModelLink[] = [];
  connections = 0;

  constructor(
    private readonly random: () => number,
    private flaws: boolean,
  ) {}

  append(session: string, value: number): void {
    this.logs.get(session)?.push(value);
  }

  open(events: LinkEvents): Link {
    const link: ModelLink = { events, down: [], replies: [], watched: new Map(), cut: false };
    this.links.push(link);
    link.down.push({
      type: 'welcome',
      protocol: 1,
      connection: `conn-${++this.connections}`,
      heartbeatMillis: 0,
      retryMillis: 100,
      rotateAfterMillis: 0,
    });
    return {
      kind: 'sse',
      send: (command, answered) => this.#command(link, command, answered),
      sendLast: (_command, settled) => settled?.(),
      close: () => (link.cut = true),
    };
  }

  #command(link: ModelLink, command: ClientMessage, answered: (answer: Answer) => void): void {
    const reply = (status: number, result: object) => {
      const answer: Answer = { type: 'reply', id: command.id, status, result };
      link.replies.push(() => answered(answer));
    };
    if (this.random() < 0.05) {
      link.replies.push(() => answered(null)); // it never arrived
      return;
    }
    const isLost = this.random() < 0.05; // it arrived, and its answer does not
    switch (command.type) {
      case 'reconnect':
      case 'watch': {
        const one = command.type === 'watch' ? [command] : command.sessions;
        one.forEach(each => this.#watch(link, each));
        reply(200, command.type === 'watch' ? { attached: true } : { sessions: one.map(({ session }) => ({ session, attached: true })) });
        break;
      }
      case 'unwatch':
        if (link.watched.delete(command.session)) {
          link.down.push({ type: 'detached', session: command.session, reason: 'unwatched' });
        }
        reply(200, { watched: false });
        break;
      case 'send': {
        const key = command.turn.id as string;
        const started = !this.accepted.includes(key);
        if (started) {
          this.accepted.push(key);
        }
        reply(202, { session: command.session, turn: key, state: 'streaming', messageId: key, started });
        break;
      }
      default:
        reply(200, {});
    }
    if (isLost) {
      link.replies.pop();
      link.replies.push(() => answered(null));
    }
  }

  #watch(link: ModelLink, { session, cursor }: ReconnectCommand['sessions'][number]): void {
    const position = cursor == null ? -1 : Number(cursor);
    const kept = this.kept.get(session) ?? 0;
    const log = this.logs.get(session) ?? [];
    const common = { type: 'attached' as const, session, turns: [], driver: 'none' as const, mode: null, closed: false };
    if (position >= kept && position <= log.length) {
      link.watched.set(session, position);
      link.down.push({ ...common, answer: 'ok', cursor: String(position) });
    } else {
      link.watched.set(session, log.length);
      link.down.push({
        ...common,
        answer: 'snapshot',
        why: position < 0 ? 'new' : 'too-old',
        cursor: String(log.length),
        snapshot: { messages: [], truncated: false },
        boot: [...log],
      });
    }
  }

  /** Takes what a connection's sessions have, in frames of any size. */
  pull(link: ModelLink): void {
    for (const [session, position] of link.watched) {
      const log = this.logs.get(session) ?? [];
      const count = Math.min(log.length - position, 1 + Math.floor(this.random() * 4));
      if (count > 0 && this.random() < 0.7) {
        link.watched.set(session, position + count);
        const data = log.slice(position, position + count);
        const frame: ServerMessage = {
          type: 'events',
          session,
          from: String(position),
          cursor: String(position + count),
          events: data.map(value => ({ kind: 'chunk', turn: 't', data: value })),
        };
        if (!this.flaws || this.random() > 0.03) {
          link.down.push(frame);
        }
        if (this.flaws && this.random() < 0.05) {
          link.down.push(frame);
        }
      }
    }
  }

  /** The network does one thing. */
  step(): void {
    const open = this.links.filter(link => !link.cut || link.replies.length > 0 || link.down.length > 0);
    const link = open[Math.floor(this.random() * open.length)];
    if (link === undefined) {
      return;
    }
    if (!link.cut) {
      this.pull(link);
    }
    const chance = this.random();
    if (chance < 0.04 && !link.cut) {
      link.cut = true; // what is on its way may still arrive, late
      link.events.lost({ kind: 'lost', detail: 'cut' });
    } else if (chance < 0.6) {
      const message = link.down.shift();
      if (message !== undefined) {
        link.events.message(message);
      }
    } else {
      const at = Math.floor(this.random() * link.replies.length); // requests overtake one another
      link.replies.splice(at, 1)[0]?.();
    }
  }

  /** From now on the network is good, and everything arrives. */
  settle(): void {
    this.flaws = false;
    for (const link of this.links.filter(each => !each.cut)) {
      this.pull(link);
      link.down.splice(0).forEach(message => link.events.message(message));
      link.replies.splice(0).forEach(reply => reply());
    }
  }
}
