import { expect, it } from 'vitest';
import { drawFlowChart } from '../../docs/.vitepress/flow-chart.ts';
import { checkedInPage } from '../../scripts/walks.ts';

/** The boxes of a drawing: label, left edge, top. */
const boxesOf = (drawing: string) =>
  [...drawing.matchAll(/<rect[^>]* x="([\d.]+)" y="(\d+)"[^>]*\/><text[^>]*>([^<]*)</g)].map(
    ([, x, y, label]) => ({ label, x: Number(x), y: Number(y) }),
  );

it('flow charts are drawn for all walks of the architecture, without boxes on one another', () => {
  const charts = [...checkedInPage().matchAll(/```mermaid\n([\s\S]*?)```/g)].map(([, source]) => source!);
  expect(charts).toHaveLength(4);
  for (const source of charts) {
    const boxes = boxesOf(drawFlowChart(source));
    expect(boxes).toHaveLength(source.match(/\["/g)!.length);
    expect(new Set(boxes.map(({ x, y }) => `${x} ${y}`)).size).toBe(boxes.length);
  }
});
