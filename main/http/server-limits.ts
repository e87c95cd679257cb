/** Limits for clients; times in milliseconds, sizes in bytes. */
export interface ServerLimits {
  /** The largest body of a request, as JSON. */
  readonly bodyBytes: number;
  /** Time to receive the headers of a request. */
  readonly headersMilliseconds: number;
  /** Time to receive a whole request. */
  readonly requestMilliseconds: number;
  /** Interval for checking the two timeouts above. */
  readonly checkMilliseconds: number;
  /** Time for which a client may leave pending output unread. */
  readonly unreadMilliseconds: number;
  readonly connections: number;
  /** The most requests at once, including streams. */
  readonly requests: number;
  /** Interval of empty lines that keep a quiet stream alive. */
  readonly heartbeatMilliseconds: number;
  /** Time for running requests to complete when the server stops. */
  readonly graceMilliseconds: number;
}

export const DEFAULT_LIMITS: ServerLimits = Object.freeze({
  bodyBytes: 32 * 2 ** 20,
  headersMilliseconds: 10_000,
  requestMilliseconds: 60_000,
  checkMilliseconds: 1_000,
  unreadMilliseconds: 30_000,
  connections: 256,
  requests: 128,
  heartbeatMilliseconds: 15_000,
  graceMilliseconds: 10_000,
});

/** Limits for clients of the network. */
export interface NetworkLimits extends ServerLimits {
  /** The most requests of one token a minute. */
  readonly requestsPerMinute: number;
  /** The most requests of one token at once, streams included. */
  readonly requestsOfToken: number;
  /** Time that a request with a wrong token waits for its refusal. */
  readonly wrongTokenMilliseconds: number;
  /** Interval in which the tokens of running requests are checked again. */
  readonly recheckMilliseconds: number;
  /** Time between "not ready" and the end of accepting requests, for load balancers to notice. */
  readonly drainMilliseconds: number;
  /** Time for the store to answer a check of readiness. */
  readonly readyMilliseconds: number;
}

export const NETWORK_LIMITS: NetworkLimits = Object.freeze({
  ...DEFAULT_LIMITS,
  bodyBytes: 8 * 2 ** 20,
  connections: 1_024,
  requests: 256,
  requestsPerMinute: 600,
  requestsOfToken: 32,
  wrongTokenMilliseconds: 500,
  recheckMilliseconds: 2_000,
  drainMilliseconds: 5_000,
  readyMilliseconds: 3_000,
});
