import '@fontsource-variable/inter';
import './styles/index.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app/app.tsx';
import { openClient } from './client/open-client.ts';
import { takeShared } from './note/take-shared.ts';

const opened = await openClient(window, document.documentElement.dataset.signIn === 'token');

takeShared();
// The desktop window has its files beside it.
if (opened.kind === 'browser' && 'serviceWorker' in navigator)
  void navigator.serviceWorker.register('./service-worker.js').catch(() => undefined);

createRoot(document.getElementById('root')!).render(
  <StrictMode>
    <App opened={opened} />
  </StrictMode>,
);
