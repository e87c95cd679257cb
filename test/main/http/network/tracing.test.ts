import { describe, expect, it } from 'vitest';
import { openTracing, traceAddress } from '../../../../main/http/network/tracing.ts';
import { ServeLab } from './serve-lab.ts';
import { spanReceiver } from './span-receiver.ts';

interface Span {
  readonly name: string;
  readonly traceId: string;
  readonly parentSpanId?: string;
  readonly attributes: readonly { readonly key: string; readonly value: { readonly stringValue?: string } }[];
  readonly status: { readonly code?: number };
}

describe('spans', () => {
  it('are made only where an exporter is set', async () => {
    expect(await openTracing({})).toBeNull();
    expect(await openTracing({ OTEL_EXPORTER_OTLP_ENDPOINT: '' })).toBeNull();
    expect(traceAddress({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c:4318/' })).toBe('http://c:4318/v1/traces');
    expect(traceAddress({ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://c/x' })).toBe('http://c/x');
  });

  it('are sent with method and outcome, in the trace of the client, and without scopes, tokens and texts', async () => {
    using collector = await spanReceiver();
    const tracing = await openTracing({
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_SERVICE_NAME: 'memory',
    });
    const trace = '0af7651916cd43dd8448eb211c80319c';
    await using lab = await ServeLab.open({ tracing: tracing! });
    const { token, entry } = await lab.issue({ scopes: ['flowerpot-scope'] });
    const input = { scope: 'flowerpot-scope', query: 'Where is the flowerpot?' };
    await lab.post(token, 'search', input, { traceparent: `00-${trace}-b7ad6b7169203331-01` });
    await lab.post(token, 'stats', { scope: 'other-flowerpot' }, { traceparent: 'not a trace' });
    await lab.post('wrong', 'stats', { scope: 'flowerpot-scope' });
    const client = await lab.mcp(token);
    await client.callTool({ name: 'search_memory', arguments: { question: 'flowerpot' } });
    await client.close();
    await tracing!.close();

    expect(collector.received.map(({ path }) => path)).toContain('/v1/traces');
    const all = collector.received.map(({ text }) => text).join('');
    expect(all).not.toMatch(/flowerpot/i);
    expect(all).not.toContain(token.slice(24));
    expect(all).not.toContain(entry.id);
    expect(all).toContain('"memory"');
    const spans: Span[] = collector.received.flatMap(({ text }) =>
      JSON.parse(text).resourceSpans.flatMap(({ scopeSpans }: { scopeSpans: { spans: Span[] }[] }) =>
        scopeSpans.flatMap((each) => each.spans),
      ),
    );
    const outcomeOf = (span: Span) =>
      span.attributes.find(({ key }) => key === 'mnemis.outcome')?.value.stringValue;
    const told = spans.map((span) => [span.name, outcomeOf(span), span.status.code ?? 0]);
    expect(told).toContainEqual(['mnemis search', 'ok', 0]);
    expect(told).toContainEqual(['mnemis stats', 'forbidden-scope', 2]);
    expect(told).toContainEqual(['mnemis stats', 'unauthorized', 2]);
    expect(told).toContainEqual(['mnemis context', 'ok', 0]);
    expect(spans.filter(({ name }) => name === 'mnemis search')).toHaveLength(1);
    const [first] = spans.filter(({ traceId }) => traceId === trace);
    expect(first).toMatchObject({ name: 'mnemis search', parentSpanId: 'b7ad6b7169203331' });
  });
});
