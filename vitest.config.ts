import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // Kùzu is a native add-on: worker threads of one process would share it, forks do not.
    pool: 'forks',
    maxWorkers: 2,
    // Modules are loaded once in each worker, a third of the time otherwise; they have no state to share.
    isolate: false,
    restoreMocks: true,
    unstubEnvs: true,
    globalSetup: 'test/temporary-folder.ts',
    testTimeout: 30_000,
    hookTimeout: 30_000,
  },
});
