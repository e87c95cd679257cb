import { app, dialog } from 'electron';
import { MnemisError } from '../../src/errors/index.ts';
import { runDesktop } from './main.ts';

// The program of the desktop app.
runDesktop().catch((error: unknown) => {
  const message = MnemisError.isInstance(error) ? error.message : 'Internal error while the app started.';
  dialog.showErrorBox('Mnemis', message);
  app.exit(1);
});
