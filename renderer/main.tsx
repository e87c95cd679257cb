import '@fontsource-variable/inter';
import './styles/index.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app/app.tsx';
import { openClient } from './client/open-client.ts';

const opened = await openClient(window);

createRoot(document.getElementById('root')!).render(
  <StrictMode>
    <App opened={opened} />
  </StrictMode>,
);
