// Resumes a live chat as a page does that is loaded anew, and prints how many milliseconds that took, once a line.
// Arguments: the server, the chat, the last words of what there is, how often.

import { DefaultChatTransport, readUIMessageStream } from 'ai';

const [server, chatId, lastWords, times] = process.argv.slice(2);

const transport = new DefaultChatTransport({
  api: `${server}/api/chat`,
  fetch: (url, init) => fetch(url, { ...init, signal: control.signal }),
  headers: { 'X-AI-SDK-Version': '7' },
});

let control;
for (let i = 0; i < Number(times); i++) {
  control = new AbortController();
  const before = performance.now();
  const stream = await transport.reconnectToStream({ chatId });
  const messages = readUIMessageStream({ stream })[Symbol.asyncIterator]();
  let text = '';
  while (!text.endsWith(lastWords)) {
    const { value: message, done } = await messages.next();
    if (done) {
      throw new Error('the stream ended');
    }
    text = message.parts.filter(part => part.type === 'text').map(part => part.text).join('');
  }
  console.log(performance.now() - before);
  control.abort();
  await messages.return?.().catch(() => {});
}
process.exit(0);
