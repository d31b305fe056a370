// A page that shows one session, with what a test needs to read in attributes, and that counts what it sends and is told.

import { HoldfastClient } from '@holdfast/client';

const query = new URLSearchParams(location.search);
const main = document.querySelector('main');

/** Commands by type, as the page handed them to the browser. */
const sent = [];

/** What was applied since the last snapshot, each event as a text that no other event of the session has. */
const applied = [];

/** How often the stream of a turn was begun; its chunks are numbered anew then. */
const begun = new Map();

/** The answers to cursors. */
const answers = [];

/** How the connection stood, one after the other. */
const states = [];

/** Whether the page came from the browser's cache, each time that it was shown. */
const shows = [];

function count(json) {
  sent.push(JSON.parse(json).type);
}

const sendFrame = WebSocket.prototype.send;
WebSocket.prototype.send = function (data) {
  count(data);
  sendFrame.call(this, data);
};

const environment = {
  fetch: (url, init) => {
    if (init?.method === 'POST') {
      count(init.body);
    }
    return fetch(url, init);
  },
  sendBeacon: (url, body) => {
    void body.text().then(count);
    return navigator.sendBeacon(url, body);
  },
};

const client = new HoldfastClient({ url: query.get('server'), transport: query.get('transport'), environment });
const view = client.watch(query.get('session'), note);
window.holdfast = { client, view, sent, applied, answers, states, shows };

function note(update) {
  if (update.type === 'attached') {
    answers.push(update.answer.why ?? update.answer.answer);
    if (update.answer.answer === 'snapshot') {
      applied.length = 0; // begun anew
    }
  } else if (update.type === 'events') {
    for (const event of update.events) {
      if (event.kind === 'stream-opened') {
        begun.set(event.turn, (begun.get(event.turn) ?? 0) + 1);
      }
      if (event.seq !== undefined) {
        applied.push(event.kind === 'chunk' ? `${event.turn} ${begun.get(event.turn)} ${event.seq}` : `feed ${event.seq}`);
      }
    }
  }
}

const textOf = message => message.parts.filter(part => part.type === 'text').map(part => part.text).join('');

function show() {
  const { state } = view;
  Object.assign(main.dataset, {
    status: client.state.status,
    connection: client.state.connection ?? '',
    transport: client.state.transport ?? '',
    session: state.status,
    driver: state.driver,
    displaced: state.displaced,
    turns: state.turns.length,
    outcome: state.outcome?.outcome ?? '',
    unsent: client.outbox.entries.length,
  });
  document.querySelector('#conversation').replaceChildren(...view.messages.map(message => {
    const article = document.createElement('article');
    Object.assign(article.dataset, { id: message.id, role: message.role });
    article.textContent = textOf(message);
    return article;
  }));
  const calls = state.turns.flatMap(turn => turn.pending.map(call => ({ turn, call })));
  document.querySelector('#calls').replaceChildren(...calls.map(({ turn, call }) => {
    const button = document.createElement('button');
    button.className = 'approve';
    button.textContent = `Approve ${call.toolCallId}`;
    button.onclick = () => void client.answer(view.id, turn.id, { toolCallId: call.toolCallId, approved: true });
    return button;
  }));
}

document.querySelector('form').onsubmit = event => {
  event.preventDefault();
  const input = document.querySelector('input');
  void client.send(view.id, input.value, { create: true });
  input.value = '';
};

window.addEventListener('pageshow', event => shows.push(event.persisted));
view.subscribe(show);
client.listen(state => {
  states.push(state.detail === undefined ? state.status : `${state.status}: ${state.detail}`);
  show();
});
client.outbox.listen(show);
client.connect();
show();
