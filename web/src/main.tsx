import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './App';
import { ClientContext, makeClient } from './client';
import './styles/base.css';
import './styles/shell.css';
import './styles/chat.css';
import './styles/message.css';
import './styles/tools.css';
import './styles/composer.css';
import './styles/welcome.css';
import './styles/markdown.css';
import './styles/panels.css';
import { applyTheme, savedTheme } from './theme';

applyTheme(savedTheme());
const client = makeClient();
client.connect();

createRoot(document.getElementById('app') as HTMLElement).render(
  <StrictMode>
    <ClientContext value={client}>
      <App />
    </ClientContext>
  </StrictMode>,
);
