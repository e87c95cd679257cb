import { ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { parseTraceParent } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { BasicTracerProvider, BatchSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { mnemisVersion } from '../../version.ts';
import { OK } from './audit-log.ts';
import type { Tracing } from './recorder.ts';

/** Sends spans to an address by OpenTelemetry's protocol over HTTP, in batches. */
export function otlpTracing(url: string, serviceName: string): Tracing {
  const provider = new BasicTracerProvider({
    resource: resourceFromAttributes({ 'service.name': serviceName, 'service.version': mnemisVersion() }),
    spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter({ url }))],
  });
  const tracer = provider.getTracer('mnemis', mnemisVersion());
  return {
    note: ({ via, method, outcome, milliseconds }, traceparent) => {
      const parent = traceparent === undefined ? null : parseTraceParent(traceparent);
      const context =
        parent === null ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, { ...parent, isRemote: true });
      const attributes = {
        'mnemis.via': via,
        'mnemis.outcome': outcome,
        ...(method === null ? {} : { 'mnemis.method': method }),
      };
      const end = Date.now();
      const name = `mnemis ${method ?? 'request'}`;
      const span = tracer.startSpan(
        name,
        { kind: SpanKind.SERVER, attributes, startTime: end - milliseconds },
        context,
      );
      if (outcome !== OK) span.setStatus({ code: SpanStatusCode.ERROR });
      span.end(end);
    },
    close: () => provider.shutdown(),
  };
}
