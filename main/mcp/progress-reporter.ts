import type { RequestHandlerExtra } from '@modelcontextprotocol/sdk/shared/protocol.js';
import type { ServerNotification, ServerRequest } from '@modelcontextprotocol/sdk/types.js';

export type RequestExtra = RequestHandlerExtra<ServerRequest, ServerNotification>;

/** Tells a client that asked for it how far its request is; each report is further than the last one. */
export class ProgressReporter {
  readonly #extra: RequestExtra;
  #last = 0;

  constructor(extra: RequestExtra) {
    this.#extra = extra;
  }

  /** @param message - in words of our own: it is shown as it stands. */
  report(progress: number, total: number, message: string): void {
    const { progressToken } = this.#extra._meta ?? {};
    if (progressToken === undefined || progress <= this.#last) return;
    this.#last = progress;
    const params = { progressToken, progress, total: Math.max(total, progress), message };
    // A client that has gone needs no progress.
    this.#extra.sendNotification({ method: 'notifications/progress', params }).catch(() => undefined);
  }
}
