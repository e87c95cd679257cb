import { afterAll, vi } from 'vitest';

// Files share their worker's environment and modules, and `unstubEnvs` restores before a test only: what the last test
// of a file stubs would be there for the next file.
afterAll(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});
