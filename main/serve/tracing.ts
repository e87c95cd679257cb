import { OK } from '../server/contract-requests.ts';
import { mnemisVersion } from '../version.ts';
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
  const { ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } = await import('@opentelemetry/api');
  const { parseTraceParent } = await import('@opentelemetry/core');
  const { OTLPTraceExporter } = await import('@opentelemetry/exporter-trace-otlp-http');
  const { resourceFromAttributes } = await import('@opentelemetry/resources');
  const { BasicTracerProvider, BatchSpanProcessor } = await import('@opentelemetry/sdk-trace-base');
  const provider = new BasicTracerProvider({
    resource: resourceFromAttributes({
      'service.name': environment.OTEL_SERVICE_NAME || 'mnemis',
      'service.version': mnemisVersion(),
    }),
    spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter({ url }))],
  });
  const tracer = provider.getTracer('mnemis', mnemisVersion());
  return {
    begin: ({ via, method, traceparent }) => {
      const parent = traceparent === undefined ? null : parseTraceParent(traceparent);
      const context =
        parent === null ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, { ...parent, isRemote: true });
      const name = `mnemis ${method ?? 'request'}`;
      const attributes = { 'mnemis.via': via, ...(method === null ? {} : { 'mnemis.method': method }) };
      const span = tracer.startSpan(name, { kind: SpanKind.SERVER, attributes }, context);
      return (outcome) => {
        span.setAttribute('mnemis.outcome', outcome);
        if (outcome !== OK) span.setStatus({ code: SpanStatusCode.ERROR });
        span.end();
      };
    },
    close: () => provider.shutdown(),
  };
}
