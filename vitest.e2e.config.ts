import { defineConfig } from 'vitest/config';
import { findElectron } from './main/desktop/find-electron.ts';

const hasElectron = 'program' in findElectron({ environment: process.env });
const project = (name: string, include: readonly string[]) => ({
  extends: true as const,
  test: { name, include: [...include], env: { E2E_SHELL: name } },
});
/** What is about browsers, or ends processes that the desktop app has in one. */
const OF_BROWSERS = ['engine', 'security', 'import', 'settings', 'accessibility'];

/**
 * `npm run test:e2e`: the app in a real browser, against a real server and engine; and in the desktop window where
 * Electron's program is installed and there is a display.
 */
export default defineConfig({
  test: {
    pool: 'forks',
    maxWorkers: 2,
    globalSetup: ['test/temporary-folder.ts', 'test/e2e/built-renderer.ts'],
    testTimeout: 60_000,
    hookTimeout: 90_000,
    teardownTimeout: 60_000,
    projects: [
      project('chromium', ['test/e2e/**/*.e2e.ts']),
      ...(hasElectron ? [project('electron', [`test/e2e/!(${OF_BROWSERS.join('|')}).e2e.ts`])] : []),
    ],
  },
});
