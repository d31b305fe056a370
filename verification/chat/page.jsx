// The front end of docs/wires/ai-sdk.md, with what a test needs to read in attributes. Bundled once for each major by build.mjs.

import { useChat } from '@ai-sdk/react';
import * as ai from 'ai';
import { useEffect, useState } from 'react';
import { createRoot } from 'react-dom/client';

const query = new URLSearchParams(location.search);
const CHAT = query.get('chat');
const SERVER = query.get('server') ?? '';
const URL_OF_CHAT = `${SERVER}/api/chat/${encodeURIComponent(CHAT)}`;

/** Each settled call of a client's tool, and each approval that was decided, is sent back. */
const isAnswered = chat =>
  ai.lastAssistantMessageIsCompleteWithToolCalls(chat)
  || (ai.lastAssistantMessageIsCompleteWithApprovalResponses?.(chat) ?? false);

function Page() {
  const [loaded, setLoaded] = useState();
  useEffect(() => {
    void fetch(URL_OF_CHAT)
      .then(response => response.json())
      .then(setLoaded);
  }, []);
  return loaded ? <Conversation loaded={loaded} /> : <p>Loading ...</p>;
}

function Conversation({ loaded }) {
  const [input, setInput] = useState('');
  const [calls, setCalls] = useState(0);
  const chat = useChat({
    id: CHAT,
    messages: loaded.messages,
    resume: loaded.live,
    transport: new ai.DefaultChatTransport({
      api: `${SERVER}/api/chat`,
      headers: { 'X-AI-SDK-Version': String(AI_MAJOR) },
    }),
    sendAutomaticallyWhen: isAnswered,
    onToolCall: ({ toolCall }) => {
      setCalls(before => before + 1);
      if (toolCall.toolName === 'where') {
        void chat.addToolOutput({ tool: 'where', toolCallId: toolCall.toolCallId, output: { city: 'Graz' } });
      }
    },
  });
  const stop = () => fetch(`${URL_OF_CHAT}/stop`, { method: 'POST' });
  const busy = chat.status === 'submitted' || chat.status === 'streaming';

  return (
    <main data-status={chat.status} data-turn={loaded.turn?.state ?? 'none'} data-live={loaded.live} data-calls={calls}>
      {chat.messages.map(message => (
        <article
          key={message.id}
          data-id={message.id}
          data-role={message.role}
          data-status={message.metadata?.holdfast?.status}>
          {message.parts.map((part, i) => (
            <Part key={i} part={part} decide={approved => chat.addToolApprovalResponse({ id: part.approval.id, approved })} />
          ))}
        </article>
      ))}
      {chat.error && <p role="alert">{chat.error.message}</p>}
      <form
        onSubmit={event => {
          event.preventDefault();
          void chat.sendMessage({ text: input });
          setInput('');
        }}>
        <input value={input} onChange={event => setInput(event.target.value)} />
        <button id="send" disabled={busy}>Send</button>
        <button id="stop" type="button" disabled={!busy} onClick={stop}>Stop</button>
        <button id="again" type="button" disabled={busy} onClick={() => void chat.regenerate()}>Again</button>
      </form>
    </main>
  );
}

function Part({ part, decide }) {
  if (part.type === 'text') {
    return <span data-text="">{part.text}</span>;
  }
  if (!part.type.startsWith('tool-')) {
    return null;
  }
  return (
    <div data-tool={part.type} data-state={part.state}>
      {JSON.stringify(part.output)}
      {part.state === 'approval-requested' && <button className="approve" onClick={() => decide(true)}>Approve</button>}
      {part.state === 'approval-requested' && <button className="deny" onClick={() => decide(false)}>Deny</button>}
    </div>
  );
}

createRoot(document.getElementById('root')).render(<Page />);
