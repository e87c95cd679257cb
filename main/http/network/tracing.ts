import type { Tracing } from './recorder.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** The address to which spans are sent, by OpenTelemetry's own variables; null if none is set. */
export function traceAddress(environment: Environment): string | null {
  const own = environment.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT;
  if (own) return own;
  const base = environment.OTEL_EXPORTER_OTLP_ENDPOINT;
  return base ? `${base.replace(/\/$/, '')}/v1/traces` : null;
}

/**
 * Spans of requests for an exporter that the environment sets; null if it sets none, and then no package of
 * OpenTelemetry is loaded. A span has the method and the outcome, never a scope, a token or a text.
 */
export async function openTracing(environment: Environment): Promise<Tracing | null> {
  const url = traceAddress(environment);
  if (url === null) return null;
  const { otlpTracing } = await import('./otlp-tracing.ts');
  return otlpTracing(url, environment.OTEL_SERVICE_NAME || 'mnemis');
}
