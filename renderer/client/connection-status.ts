/**
 * `reconnecting`: the app or its engine does not answer, and requests that only read are tried again.
 * `signed-out`: the page has no valid token; only a new link helps.
 */
export type ConnectionStatus = 'connected' | 'reconnecting' | 'signed-out';

/** The state of the connection, for whoever shows it. */
export class ConnectionState {
  #status: ConnectionStatus;
  readonly #listeners = new Set<(status: ConnectionStatus) => void>();

  constructor(status: ConnectionStatus = 'connected') {
    this.#status = status;
  }

  readonly get = (): ConnectionStatus => this.#status;

  /** @returns a function that ends the subscription. */
  readonly subscribe = (listener: (status: ConnectionStatus) => void): (() => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

  set(status: ConnectionStatus): void {
    if (status === this.#status) return;
    this.#status = status;
    for (const listener of this.#listeners) listener(status);
  }
}
