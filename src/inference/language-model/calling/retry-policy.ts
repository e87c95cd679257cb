/** When and how often a failed request is retried. */
export interface RetryPolicy {
  /** Requests in all, the first one included. */
  readonly attempts: number;
  /** Upper bound of the first wait, in milliseconds; it doubles with each further one. */
  readonly firstWait: number;
  readonly longestWait: number;
  /** If a server asks to wait for more milliseconds than this, the call fails instead. */
  readonly longestRetryAfter: number;
}

export const DEFAULT_RETRY_POLICY: RetryPolicy = {
  attempts: 6,
  firstWait: 500,
  longestWait: 30_000,
  longestRetryAfter: 120_000,
};

interface FailedAttempt {
  readonly attempt: number;
  /** What the server asked to wait, in milliseconds. */
  readonly retryAfter: number | null;
}

/**
 * Milliseconds to wait after a failed attempt, or null to give up. Full jitter (any time up to the bound), so
 * that clients that failed together do not retry together; never sooner than the server asked.
 */
export function waitBeforeRetry(
  policy: RetryPolicy,
  { attempt, retryAfter }: FailedAttempt,
  random: () => number,
): number | null {
  if (attempt >= policy.attempts) return null;
  const bound = Math.min(policy.longestWait, policy.firstWait * 2 ** (attempt - 1));
  if (retryAfter === null) return random() * bound;
  return retryAfter > policy.longestRetryAfter ? null : retryAfter + random() * policy.firstWait;
}
