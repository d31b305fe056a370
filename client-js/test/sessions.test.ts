import { describe, expect, test, vi } from 'vitest';
import { scripted } from './support/script.js';
import { attached, delta, opened, started, stored, watched } from './support/watched.js';

describe('cursors', () => {
  test('a frame that repeats what was applied is passed over, and does not lower the cursor [M31]', () => {
    const scene = watched();
    const frames: string[] = [];
    scene.client.watch('s', update => update.type === 'events' && frames.push(update.frame.cursor));
    scene.link.frame('s', 'c0', 'c1').frame('s', 'c1', 'c2').frame('s', 'c0', 'c1').frame('s', 'c1', 'c2');
    expect(frames).toEqual(['c1', 'c2']);
    expect(scene.view.state.cursor).toBe('c2');
    expect(scene.link.of('watch')).toHaveLength(1);
  });

  test('a frame that continues something else makes the client ask for the session from where it is', () => {
    const scene = watched();
    scene.link.frame('s', 'c0', 'c1').frame('s', 'c2', 'c3');
    expect(scene.view.state.cursor).toBe('c1');
    expect(scene.link.of('watch').at(-1)).toMatchObject({ session: 's', cursor: 'c1' });
    scene.link.frame('s', 'c3', 'c4'); // of what was before the answer
    scene.link.ok('watch', { attached: true }).attached('s', 'c1', false).frame('s', 'c1', 'c4');
    expect(scene.view.state.cursor).toBe('c4');
    expect(scene.link.of('watch')).toHaveLength(2);
  });

  test('gaps in a row are asked about after pauses that grow', () => {
    const scene = watched();
    scene.link.frame('s', 'x', 'y');
    expect(scene.link.of('watch')).toHaveLength(2);
    for (let i = 3, pause = 500; i < 7; i++, pause *= 2) {
      scene.link.ok('watch', { attached: true }).attached('s', 'c0', false).frame('s', 'x', 'y');
      scene.clock.advance(pause - 1);
      expect(scene.link.of('watch')).toHaveLength(i - 1);
      scene.clock.advance(1);
      expect(scene.link.of('watch')).toHaveLength(i);
    }
  });

  test('what comes before the answer to a watch belongs to what was before, and is dropped', () => {
    const scene = scripted();
    const link = scene.connect();
    const view = scene.client.watch('s');
    link.frame('s', 'x', 'y');
    expect(view.state.cursor).toBeNull();
    expect(link.of('watch')).toHaveLength(1);
  });

  test('a session that was granted and does not come is a lost connection', () => {
    const scene = scripted();
    const link = scene.connect();
    scene.client.watch('s');
    link.ok('watch', { attached: true });
    scene.clock.advance(15_000);
    expect(scene.client.state.status).toBe('waiting');
  });

  test('a watch that fails for the moment is a lost connection', () => {
    const scene = scripted();
    scene.connect().of('watch');
    scene.client.watch('s');
    scene.link.problem('watch', 503);
    expect(scene.client.state.status).toBe('waiting');
    scene.clock.advance(500);
    scene.link.welcome('conn-2');
    expect(scene.link.of('reconnect')[0]?.sessions).toEqual([{ session: 's' }]);
  });
});

describe('listeners', () => {
  test('a frame is applied as a whole, and the listener is asked before it holds', () => {
    const scene = watched();
    const seen: (string | null)[] = [];
    scene.client.watch('s', update => void seen.push(scene.view.state.cursor, update.state.cursor));
    scene.link.frame('s', 'c0', 'c1');
    expect(seen).toEqual(['c0', 'c1']);
  });

  test('a listener that throws loses nothing: the same comes again', () => {
    const scene = watched();
    let refuse = 2;
    const frames: string[] = [];
    scene.client.watch('s', update => {
      if (update.type === 'events') {
        if (refuse-- > 0) {
          throw new Error('not now');
        }
        frames.push(update.frame.cursor);
      }
    });
    scene.link.frame('s', 'c0', 'c1').frame('s', 'c1', 'c2');
    expect(scene.view.state).toMatchObject({ cursor: 'c0', turns: [] });
    scene.link.ok('watch', { attached: true }).attached('s', 'c0', false).frame('s', 'c0', 'c2');
    expect(scene.view.state.cursor).toBe('c0');
    scene.clock.advance(500);
    scene.link.ok('watch', { attached: true }).attached('s', 'c0', false).frame('s', 'c0', 'c2');
    expect(frames).toEqual(['c2']);
    expect(scene.view.state.cursor).toBe('c2');
    expect(scene.reports).toHaveLength(2);
  });

  test('what a subscriber throws is reported and keeps nothing from the others', () => {
    const scene = watched();
    const other = vi.fn();
    scene.view.subscribe(() => {
      throw new Error('mine');
    });
    scene.view.subscribe(other);
    scene.link.frame('s', 'c0', 'c1');
    expect(other).toHaveBeenCalledTimes(1);
    expect(scene.view.state.cursor).toBe('c1');
    expect(scene.reports).toHaveLength(1);
  });

  test('a view that was closed is told nothing, and the last one ends the watch', () => {
    const scene = watched();
    const listener = vi.fn();
    const second = scene.client.watch('s', listener);
    second.close();
    second.close();
    scene.link.frame('s', 'c0', 'c1');
    expect(listener).not.toHaveBeenCalled();
    expect(scene.link.types).toEqual(['watch']);
    scene.view.close();
    expect(scene.link.types).toEqual(['watch', 'unwatch']);
  });

  test('a session that is watched again right after its end is asked for when the end is answered', () => {
    const scene = watched();
    scene.view.close();
    const again = scene.client.watch('s');
    expect(scene.link.types).toEqual(['watch', 'unwatch']);
    scene.link.ok('unwatch', { watched: false }).message({ type: 'detached', session: 's', reason: 'unwatched' });
    expect(scene.link.types).toEqual(['watch', 'unwatch', 'watch']);
    scene.link.attached('s', 'n1');
    expect(again.state).toMatchObject({ status: 'attached', cursor: 'n1' });
  });

  test('a session that is let go of before its watch is answered is let go of right after', () => {
    const scene = scripted();
    const link = scene.connect();
    scene.client.watch('s').close();
    expect(link.types).toEqual(['watch']); // over SSE the end could overtake the beginning
    link.ok('watch', { attached: true });
    expect(link.types).toEqual(['watch', 'unwatch']);
    const refused = scene.client.watch('r');
    refused.close();
    link.problem('watch', 404);
    expect(link.types).toEqual(['watch', 'unwatch', 'watch']);
  });

  test('one client watches 256 sessions, and says so at the next', () => {
    const { client } = scripted();
    for (let i = 0; i < 256; i++) {
      client.watch(`s${i}`);
    }
    expect(() => client.watch('one more')).toThrow(/at most 256/);
  });
});

describe('what the server says unasked', () => {
  test('a snapshot where the connection fell behind', () => {
    const scene = watched();
    scene.tell(started, opened, delta('H'));
    scene.link.message(attached({ why: 'too-old', cursor: 'n1', snapshot: { messages: [stored('u9', null, 'New')], truncated: false } }));
    scene.link.frame('s', 'n1', 'n2');
    expect(scene.texts()).toEqual(['New', 'n2']);
    expect(scene.view.state.cursor).toBe('n2');
  });

  test('that it cannot read a session now: it is asked again after a pause', () => {
    const scene = watched();
    scene.link.message({ type: 'detached', session: 's', reason: 'failed' });
    expect(scene.link.of('watch')).toHaveLength(1);
    scene.clock.advance(500);
    expect(scene.link.of('watch')[1]).toMatchObject({ cursor: 'c0' });
  });

  test('that a session was deleted', () => {
    const scene = watched();
    scene.link.message({ type: 'detached', session: 's', reason: 'deleted' });
    expect(scene.view.state).toMatchObject({ status: 'detached', reason: 'deleted' });
  });
});

describe('sessions that are not there', () => {
  test('a session that is not found is told as detached, once, and not asked for again', () => {
    const scene = scripted();
    const link = scene.connect();
    const updates: string[] = [];
    const view = scene.client.watch('s', update => void updates.push(update.type));
    link.problem('watch', 404, 'session-not-found');
    expect(view.state).toMatchObject({ status: 'detached', reason: 'not-found', problem: { status: 404 } });
    expect(updates).toEqual(['detached']);
    link.lose();
    scene.clock.advance(500);
    scene.link.welcome('conn-2');
    expect(scene.link.sent).toEqual([]);
  });

  test('a session that is made by a message is watched once the receipt is there', () => {
    const scene = scripted();
    const link = scene.connect();
    const view = scene.client.watch('s');
    link.problem('watch', 404).message({ type: 'detached', session: 's', reason: 'not-found' });
    void scene.client.send('s', { message: { id: 'm1', text: 'Hello' } }, { create: true });
    link.receipt('s', 'm1');
    expect(link.of('watch')).toHaveLength(2);
    link.ok('watch', { attached: true }).attached('s', 'c1');
    expect(view.state).toMatchObject({ status: 'attached', cursor: 'c1' });
    expect(view.state).not.toHaveProperty('reason');
  });

  test('a receipt that overtakes the answer that the session is not there makes the client ask again', () => {
    const scene = scripted();
    const link = scene.connect();
    const view = scene.client.watch('s');
    void scene.client.send('s', { message: { id: 'm1', text: 'Hello' } }, { create: true });
    link.receipt('s', 'm1').problem('watch', 404);
    expect(link.of('watch')).toHaveLength(2);
    link.message({ type: 'detached', session: 's', reason: 'not-found' }); // of the first
    link.ok('watch', { attached: true }).attached('s', 'c1');
    expect(view.state).toMatchObject({ status: 'attached', cursor: 'c1' });
  });

  test('sessions that cannot be watched do not keep others from it', () => {
    const scene = scripted();
    const views = ['a', 'b', 'c'].map(id => scene.client.watch(id));
    scene.client.connect();
    const problem = (status: number) => ({ type: 'urn:holdfast:problem:x', title: 'x', status, detail: 'x' });
    scene.link.welcome('conn-1').attached('a', 'a1');
    scene.link.ok('reconnect', {
      sessions: [
        { session: 'a', attached: true },
        { session: 'b', attached: false, problem: problem(403) },
        { session: 'c', attached: false, problem: problem(503) },
      ],
    });
    expect(scene.client.state.status).toBe('connected');
    expect(views.map(view => view.state.status)).toEqual(['attached', 'detached', 'waiting']);
    expect(scene.link.of('watch')).toEqual([]);
    scene.clock.advance(500);
    expect(scene.link.of('watch').map(each => each.session)).toEqual(['c']);
  });
});
