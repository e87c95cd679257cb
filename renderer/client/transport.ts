/** A request on its way. */
export interface Sent {
  readonly method: string;
  readonly input: unknown;
  readonly signal?: AbortSignal | undefined;
}

/** Carries requests to an engine and its replies back, without a look at their contents. Throws EngineProblems. */
export interface Transport {
  call(request: Sent): Promise<unknown>;
  /** Ends when the stream has ended; a stream that was interrupted throws. */
  stream(request: Sent): AsyncGenerator<unknown, void>;
  close(): Promise<void>;
}
