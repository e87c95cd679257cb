import type { IncomingMessage } from 'node:http';
import type { AuditEntry, AuditLog, Outcome } from './audit-log.ts';
import type { ServerMetrics } from './server-metrics.ts';

/** Sends spans of requests somewhere; absent where no exporter is set. */
export interface Tracing {
  /** Takes a request that has ended now. @param traceparent - the client's own trace, as W3C writes it. */
  note(entry: AuditEntry, traceparent: string | undefined): void;
  close(): Promise<void>;
}

interface RecorderParts {
  readonly audit: AuditLog;
  readonly metrics: ServerMetrics;
  readonly tracing?: Tracing | undefined;
}

export interface Recording {
  token: string | null;
  method: string | null;
  scope: string | null;
  /** Writes the entry; only the first call counts. */
  end(outcome: Outcome): void;
}

/** What is known of a request from the beginning. */
interface Known extends Partial<Pick<AuditEntry, 'token' | 'method' | 'scope'>> {
  readonly traceparent?: string | undefined;
}

export class Recorder {
  readonly #parts: RecorderParts;

  constructor(parts: RecorderParts) {
    this.#parts = parts;
  }

  begin(via: AuditEntry['via'], { traceparent, ...known }: Known = {}): Recording {
    const { audit, metrics, tracing } = this.#parts;
    const begun = performance.now();
    let isOpen = true;
    const recording: Recording = {
      token: null,
      method: null,
      scope: null,
      ...known,
      end: (outcome) => {
        if (!isOpen) return;
        isOpen = false;
        const { token, method, scope } = recording;
        const milliseconds = performance.now() - begun;
        const entry = { token, via, method, scope, outcome, milliseconds };
        audit.write(entry);
        metrics.note(entry);
        tracing?.note(entry, traceparent);
      },
    };
    return recording;
  }
}

/** The client's own trace, as W3C writes it. */
export function traceparentOf({ headers: { traceparent } }: IncomingMessage): string | undefined {
  return typeof traceparent === 'string' ? traceparent : undefined;
}
