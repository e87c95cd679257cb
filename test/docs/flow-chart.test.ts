import { describe, expect, it } from 'vitest';
import { drawFlowChart } from '../../docs/.vitepress/flow-chart.ts';
import { checkedInPage } from '../../scripts/walks.ts';

const chart = (...lines: readonly string[]) => ['flowchart TD', ...lines].join('\n');
/** The boxes of a drawing: label, left edge, top. */
const boxesOf = (drawing: string) =>
  [...drawing.matchAll(/<rect[^>]* x="([\d.]+)" y="(\d+)"[^>]*\/><text[^>]*>([^<]*)</g)].map(
    ([, x, y, label]) => ({ label, x: Number(x), y: Number(y) }),
  );

describe('flow charts', () => {
  it('have each box below all that lead to it', () => {
    const drawing = drawFlowChart(
      chart('  a(["start"])', '  b["middle"]', '  c["end"]', '  a --> b', '  b --> c', '  a --> c'),
    );
    const [start, middle, end] = boxesOf(drawing);
    expect(start!.y).toBeLessThan(middle!.y);
    expect(middle!.y).toBeLessThan(end!.y);
    expect(drawing.match(/class="arrow"/g)).toHaveLength(3);
    expect(drawing).toContain('aria-label="Arrows lead from start to middle; middle to end; start to end"');
  });

  it('end for arrows in a circle', () => {
    const drawing = drawFlowChart(chart('a["one"]', 'b["two"]', 'a --> b', 'b --> a'));
    expect(boxesOf(drawing).map(({ label }) => label)).toEqual(['one', 'two']);
  });

  it('escape what their labels say', () => {
    expect(drawFlowChart(chart('a["<b> & c"]', 'd["e"]', 'a --> d'))).toContain('&lt;b> &amp; c');
  });

  it('of another form fail', () => {
    expect(() => drawFlowChart('graph LR')).toThrow(RangeError);
    expect(() => drawFlowChart(chart('a["one"]', 'a -. maybe .- b'))).toThrow('No box and no arrow');
  });

  it('are drawn for all walks of the architecture, without boxes on one another', () => {
    const charts = [...checkedInPage().matchAll(/```mermaid\n([\s\S]*?)```/g)].map(([, source]) => source!);
    expect(charts).toHaveLength(4);
    for (const source of charts) {
      const boxes = boxesOf(drawFlowChart(source));
      expect(boxes).toHaveLength(source.match(/\["/g)!.length);
      expect(new Set(boxes.map(({ x, y }) => `${x} ${y}`)).size).toBe(boxes.length);
    }
  });
});
