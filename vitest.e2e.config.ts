import { defineConfig } from 'vitest/config';
import { findElectron } from './main/desktop/find-electron.ts';

const hasElectron = 'program' in findElectron({ environment: process.env });
/** Without `extends`, which would repeat the global setup for each project. */
const project = (name: string, include: readonly string[]) => ({
  test: {
    name,
    include: [...include],
    env: { E2E_SHELL: name },
    setupFiles: 'test/e2e/failure-pictures.ts',
    pool: 'forks' as const,
    // Modules are loaded once in each worker; they have no state to share.
    isolate: false,
    experimental: { fsModuleCache: true },
    // Longer than a spec takes beside other programs; a step that fails has a limit of its own.
    testTimeout: 300_000,
    hookTimeout: 300_000,
  },
});
/** What is about browsers, or ends processes that the desktop app has in one. */
const OF_BROWSERS = ['installed', 'engine', 'security', 'import', 'settings', 'accessibility'];

/**
 * `npm run test:e2e`: the app in a real browser, against a real server and engine; and in the desktop window where
 * Electron's program is installed and there is a display.
 */
export default defineConfig({
  test: {
    maxWorkers: 2,
    globalSetup: ['test/temporary-folder.ts', 'test/e2e/built-app.ts'],
    teardownTimeout: 60_000,
    projects: [
      project('chromium', ['test/e2e/**/*.e2e.ts']),
      ...(hasElectron ? [project('electron', [`test/e2e/!(${OF_BROWSERS.join('|')}).e2e.ts`])] : []),
    ],
  },
});
