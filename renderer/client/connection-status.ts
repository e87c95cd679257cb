/**
 * `reconnecting`: the app or its engine does not answer, and requests that only read are tried again.
 * `locked`: the page has no valid token; only a new link helps.
 */
export type ConnectionStatus = 'connected' | 'reconnecting' | 'locked';

/** The state of the connection. */
export class StatusKeeper {
  #status: ConnectionStatus;
  readonly #onChange: (status: ConnectionStatus) => void;

  constructor(
    status: ConnectionStatus = 'connected',
    onChange: (status: ConnectionStatus) => void = () => undefined,
  ) {
    this.#status = status;
    this.#onChange = onChange;
  }

  get(): ConnectionStatus {
    return this.#status;
  }

  set(status: ConnectionStatus): void {
    if (status === this.#status) return;
    this.#status = status;
    this.#onChange(status);
  }
}
