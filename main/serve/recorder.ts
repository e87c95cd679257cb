import type { Outcome } from '../server/contract-requests.ts';
import type { AuditEntry, AuditLog } from './audit-log.ts';
import type { ServerMetrics } from './server-metrics.ts';

/** A span of a trace, which takes the outcome when it ends. */
export type EndSpan = (outcome: Outcome) => void;

/** Begins a span for a request; absent where no exporter is set. */
export interface Tracing {
  begin(what: Pick<AuditEntry, 'via' | 'method'>): EndSpan;
  close(): Promise<void>;
}

interface RecorderParts {
  readonly audit: AuditLog;
  readonly metrics: ServerMetrics;
  readonly tracing?: Tracing | undefined;
}

/** What becomes known of a request while it runs. */
export interface Recording {
  token: string | null;
  method: string | null;
  scope: string | null;
  /** Writes the entry; only the first call counts. */
  end(outcome: Outcome): void;
}

/** Records each request in the audit log, the metrics and the trace. */
export class Recorder {
  readonly #parts: RecorderParts;

  constructor(parts: RecorderParts) {
    this.#parts = parts;
  }

  begin(
    via: AuditEntry['via'],
    known: Partial<Pick<AuditEntry, 'token' | 'method' | 'scope'>> = {},
  ): Recording {
    const { audit, metrics, tracing } = this.#parts;
    const begun = performance.now();
    let isOpen = true;
    const endSpan = tracing?.begin({ via, method: known.method ?? null });
    const recording: Recording = {
      ...{ token: null, method: null, scope: null, ...known },
      end: (outcome) => {
        if (!isOpen) return;
        isOpen = false;
        const { token, method, scope } = recording;
        const milliseconds = performance.now() - begun;
        const entry = { token, via, method, scope, outcome, milliseconds };
        audit.write(entry);
        metrics.note(entry);
        endSpan?.(outcome);
      },
    };
    return recording;
  }
}
