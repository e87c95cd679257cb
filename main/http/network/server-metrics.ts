import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { AuditEntry } from './audit-log.ts';

const SECONDS = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300];

/** Figures in Prometheus's format. No label has a scope, a token or a text: labels have few values, and are not secret. */
export class ServerMetrics {
  readonly #registry = new Registry();
  readonly #requests: Counter<'via' | 'method' | 'outcome'>;
  readonly #seconds: Histogram<'via' | 'method'>;

  /** @param state - read when the figures are. */
  constructor(state: { readonly running: () => number; readonly isReady: () => boolean }) {
    const registers = [this.#registry];
    this.#requests = new Counter({
      name: 'mnemis_requests_total',
      help: 'Requests by method of the contract and outcome: ok, or the code of the error.',
      labelNames: ['via', 'method', 'outcome'],
      registers,
    });
    this.#seconds = new Histogram({
      name: 'mnemis_request_seconds',
      help: 'Time of whole requests, streams included.',
      labelNames: ['via', 'method'],
      buckets: SECONDS,
      registers,
    });
    new Gauge({
      name: 'mnemis_requests_running',
      help: 'Requests under way, streams included.',
      registers,
      collect() {
        this.set(state.running());
      },
    });
    new Gauge({
      name: 'mnemis_ready',
      help: '1 if the server takes requests and its store answers.',
      registers,
      collect() {
        this.set(state.isReady() ? 1 : 0);
      },
    });
  }

  /** Adds figures of the process, such as its memory and the delay of its event loop. */
  addProcess(): this {
    collectDefaultMetrics({ register: this.#registry });
    return this;
  }

  note({ via, method, outcome, milliseconds }: AuditEntry): void {
    const labels = { via, method: method ?? 'none' };
    this.#requests.inc({ ...labels, outcome });
    this.#seconds.observe(labels, milliseconds / 1_000);
  }

  get contentType(): string {
    return this.#registry.contentType;
  }

  text(): Promise<string> {
    return this.#registry.metrics();
  }
}
