/**
 * Environment of an engine's own process, for glibc, which reads it once, at the start: the database frees blocks of
 * 4 MB all the time, and by default the allocator keeps them for threads that have ended (docs/reliability.md).
 * Elsewhere they mean nothing.
 */
export const ALLOCATOR_LIMITS = {
  MALLOC_ARENA_MAX: '2',
  MALLOC_MMAP_THRESHOLD_: '131072',
  MALLOC_TRIM_THRESHOLD_: '131072',
} as const;
