import { HoldfastError } from '@holdfast/client';
import type { FilePart, Turn } from '@holdfast/client';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import type { ReactNode } from 'react';
import { useClient } from '../client';
import { useConnection, useOnline, useOutbox } from '../live/use-connection';
import type { LiveSession } from '../live/use-session';
import { chatRoute, go, replace } from '../route';
import { Announcer } from './Announcer';
import { ChatNotices } from './ChatNotices';
import { Composer, isCoarse } from './Composer';
import { foldsOf } from './folds';
import { itemsOf } from './items';
import { MessageList } from './MessageList';
import type { MessageActions } from './MessageView';
import { Nowhere } from './Nowhere';
import { useAttachments } from './use-attachments';
import { useBranches, useHistory, useOverlays } from './use-history';
import { Welcome } from './Welcome';

export interface ChatProps {
  /** Null for a conversation that begins with its first message. */
  readonly session: string | null;
  readonly live: LiveSession;
  /** Whether there is none. */
  readonly gone: boolean;
  /** A message to show, as found by a search. */
  readonly target: string | null;
  /** A word in it. */
  readonly find: string | null;
  /** A message whose branch is shown; null for the one that is live. */
  readonly branch: string | null;
  /** Is told the end of what is shown; null for the branch that is live. The same function always. */
  shows(leaf: string | null): void;
}

const newId = () => Array.from(crypto.getRandomValues(new Uint8Array(12)), byte => byte.toString(16).padStart(2, '0')).join('');

export function Chat({ session, live, gone, target, find, branch, shows }: ChatProps): ReactNode {
  const client = useClient();
  const outbox = useOutbox(client);
  const isConnected = useConnection(client).status === 'connected';
  const isOnline = useOnline();
  const state = live.state;
  const [fault, setFault] = useState<string | null>(null);
  const [replaced, setReplaced] = useState<ReadonlyMap<string, string>>(new Map());
  const [dragging, setDragging] = useState(false);
  const history = useHistory(client, session, state, branch, target);
  const branches = useBranches(client, session, history.messages);
  const [overlays, lookAtOverlays] = useOverlays(client, session, history.messages.at(-1)?.id);
  const fresh = useRef<string>(undefined);
  useEffect(() => {
    setFault(null);
  }, [session]);

  const failed = useCallback((error: unknown) => {
    const isOver = error instanceof HoldfastError && (error.code === 'closed' || error.code === 'discarded');
    if (!isOver) {
      setFault(error instanceof Error ? error.message : String(error));
    }
  }, []);

  /** The session that a file goes to: it is there before its first message then. */
  const sessionFor = useCallback(async () => {
    if (session !== null) {
      return session;
    }
    const id = (fresh.current ??= newId());
    await client.sessions.create(id);
    return id;
  }, [client, session]);
  const files = useAttachments(client, session, sessionFor);

  const submit = useCallback(
    (turn: Turn) => {
      const id = session ?? fresh.current ?? newId();
      setFault(null);
      try {
        client.send(id, turn, { create: true }).catch(failed);
      } catch (error) {
        failed(error); // the outbox is full
      }
      if (session === null) {
        fresh.current = undefined; // the next one is another
        go(chatRoute(id));
      }
    },
    [client, session, failed],
  );
  const leaf = history.leaf;
  useEffect(() => shows(leaf), [shows, leaf]);
  useEffect(() => {
    if (session !== null && history.isFailed) {
      setFault(history.fault); // and can be asked for again
      replace(chatRoute(session));
    } else if (session !== null && branch !== null && history.isLive) {
      replace(chatRoute(session, target, find));
    }
  }, [session, branch, history.isFailed, history.fault, history.isLive, target, find]);
  const send = (text: string, parts: readonly FilePart[]) => {
    const id = newId();
    const content = { id, role: 'user', parts: [...parts, ...(text === '' ? [] : [{ type: 'text', text }])] };
    const isFirst = own.every(entry => entry.status === 'failed'); // another that is on its way from here makes its branch the live one
    submit({ id, message: { content, ...(leaf === null || !isFirst ? {} : { parentId: leaf }) } });
  };

  const toLive = useCallback(() => session !== null && replace(chatRoute(session)), [session]);
  const actions = useMemo<MessageActions>(
    () => ({
      edit: (message, text) => {
        const id = newId();
        const kept = message.parts.filter(part => part.type === 'file');
        submit({ id, message: { content: { id, role: 'user', parts: [...kept, ...(text === '' ? [] : [{ type: 'text', text }])] }, besideId: message.id } });
        toLive();
        if (!isCoarse()) {
          document.querySelector<HTMLElement>('.composer textarea')?.focus({ preventScroll: true }); // on a phone it would bring the keyboard up
        }
      },
      retry: message => {
        const id = newId();
        if (message.role !== 'user') {
          setReplaced(before => new Map(before).set(id, message.id));
        }
        submit({ id, regenerate: message.id });
        toLive();
      },
      show: id => {
        if (session !== null) {
          replace({ ...chatRoute(session), leaf: id });
        }
      },
      unfold: overlay => {
        if (session !== null) {
          client.sessions.deleteOverlay(session, overlay.id).then(lookAtOverlays, failed);
        }
      },
      answer: (turn, toolCallId, answer) => {
        if (session !== null) {
          client.answer(session, turn.id, { toolCallId, ...answer }).catch(failed);
        }
      },
    }),
    [client, session, submit, toLive, failed, lookAtOverlays],
  );

  const own = useMemo(() => outbox.filter(entry => entry.session === session), [outbox, session]);
  const shownState = leaf === null ? state : undefined;
  const items = useMemo(
    () => itemsOf({ messages: history.messages, live: shownState, outbox: own, folds: foldsOf(history.messages, overlays), replaced }),
    [history.messages, shownState, own, overlays, replaced],
  );
  const isAttached = state?.status === 'attached';
  const running = state?.turns.find(turn => turn.state === 'streaming') ?? state?.turns.find(turn => turn.state === 'awaiting') ?? state?.turns[0];
  const isEmpty = items.length === 0 && !history.isAwaited && (session === null || isAttached || state?.reason === 'not-found');
  return (
    <section
      className="chat"
      aria-label="Chat"
      data-dragging={dragging || undefined}
      data-paused={!isConnected || !isOnline || undefined}
      onDragOver={event => {
        if (event.dataTransfer.types.includes('Files')) {
          event.preventDefault();
          setDragging(true);
        }
      }}
      onDragLeave={event => !event.currentTarget.contains(event.relatedTarget as Node | null) && setDragging(false)}
      onDrop={event => {
        event.preventDefault();
        setDragging(false);
        files.add(event.dataTransfer.files);
      }}>
      {gone ? (
        <Nowhere
          what="This conversation isn't here."
          why="It was deleted, or there never was one at this address. A message that is sent from here begins a new one at it."
        />
      ) : isEmpty ? (
        <Welcome ask={text => send(text, [])} />
      ) : history.isAwaited ? (
        <p className="hint center" role="status">
          Loading …
        </p>
      ) : (
        <MessageList
          key={`${session} ${leaf ?? ''}`}
          items={items}
          branches={branches}
          actions={actions}
          hasOlder={history.hasOlder}
          loadingOlder={history.loading}
          target={target}
          find={find}
          loadOlder={history.loadOlder}
        />
      )}
      <div className="foot">
        <ChatNotices
          state={gone ? undefined : state}
          fault={fault ?? history.fault}
          onBranch={leaf !== null}
          back={toLive}
          dismiss={() => setFault(null)}
          rewatch={() => live.view?.rewatch()}
        />
        <Composer
          files={files}
          running={running !== undefined && running.state !== 'accepted'}
          stopping={running?.stopping ?? false}
          draftKey={session ?? 'new'}
          send={send}
          stop={() => {
            if (session !== null) {
              client.stop(session, running === undefined ? {} : { turn: running.id }).catch(failed);
            }
          }}
        />
      </div>
      <Announcer
        writing={running?.state === 'streaming'}
        waits={state?.turns.some(turn => turn.state === 'awaiting') ?? false}
        outcome={state?.outcome?.outcome}
      />
    </section>
  );
}
