/** What a server allows its clients; times in milliseconds, sizes in bytes. */
export interface ServerLimits {
  /** Of one request, unpacked JSON. */
  readonly bodyBytes: number;
  /** Until all headers of a request are there. */
  readonly headersMilliseconds: number;
  /** Until all of a request is there. */
  readonly requestMilliseconds: number;
  /** How often the two are looked at. */
  readonly checkMilliseconds: number;
  /** How long a client may leave what waits for it unread. */
  readonly unreadMilliseconds: number;
  readonly connections: number;
  /** Requests that are worked on at once, streams among them. */
  readonly requests: number;
  /** Between two signs of life of a stream that has nothing to tell. */
  readonly heartbeatMilliseconds: number;
  /** How long work under way may still take once the server is to end. */
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
