import { defineConfig } from 'vitest/config';

/** `npm run test:e2e`: the app in a real browser, against a real server and engine. */
export default defineConfig({
  test: {
    include: ['test/e2e/**/*.e2e.ts'],
    pool: 'forks',
    maxWorkers: 2,
    globalSetup: ['test/temporary-folder.ts', 'test/e2e/built-renderer.ts'],
    testTimeout: 60_000,
    hookTimeout: 90_000,
    teardownTimeout: 60_000,
  },
});
