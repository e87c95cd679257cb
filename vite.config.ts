import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { serviceWorker } from './scripts/service-worker.ts';

/** Builds the app's pages, which the desktop window and the browser share. */
export default defineConfig({
  root: 'renderer',
  base: './',
  plugins: [react(), serviceWorker()],
  // The renderer of formulas and their style sheet are of one version.
  resolve: { dedupe: ['katex'] },
  build: {
    outDir: '../dist/renderer',
    emptyOutDir: true,
    target: 'es2023',
    // Fonts and icons stay files, so that the content security policy needs no `data:`.
    assetsInlineLimit: 0,
    sourcemap: false,
  },
});
