import type { MarkdownRenderer } from 'vitepress';

const [HEIGHT, ROW_GAP, GAP, MARGIN] = [34, 46, 12, 8];
/** Of a letter, at the size of the style sheet. */
const LETTER = 6.5;
const NODE = /^(\w+)(\(\[|\[)"(.+)"(?:\]\)|\])$/;
const EDGE = /^(\w+) --> (\w+)$/;

interface Node {
  readonly id: string;
  readonly label: string;
  readonly isFirst: boolean;
}
type Edge = readonly [from: string, to: string];
interface Place {
  readonly x: number;
  readonly row: number;
  readonly width: number;
}

/**
 * Draws `mermaid` blocks of the form that `scripts/walks.ts` writes, a `flowchart TD` of boxes and arrows. A drawing
 * library for them would be larger than all pages.
 */
export function flowCharts(markdown: MarkdownRenderer): void {
  const drawCode = markdown.renderer.rules.fence!;
  markdown.renderer.rules.fence = (...given) => {
    const [tokens, at] = given;
    const { info, content } = tokens[at]!;
    return info.trim() === 'mermaid' ? drawFlowChart(content) : drawCode(...given);
  };
}

/** @throws RangeError for a line of another form. */
export function drawFlowChart(source: string): string {
  const { nodes, edges } = read(source);
  const rows = rowsOf(nodes, edges);
  const width = Math.max(...rows.map(widthOf)) + 2 * MARGIN;
  const height = rows.length * (HEIGHT + ROW_GAP) - ROW_GAP + 2 * MARGIN;
  const places = placesOf(rows, width);
  const labels = new Map(nodes.map(({ id, label }) => [id, label]));
  const spoken = edges.map(([from, to]) => `${labels.get(from)} to ${labels.get(to)}`).join('; ');
  const arrows = edges.map(([from, to]) => arrow(places.get(from)!, places.get(to)!)).join('');
  const boxes = nodes.map((node) => box(node, places.get(node.id)!)).join('');
  return `<div class="flow-chart" tabindex="0"><svg viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${escaped(`Arrows lead from ${spoken}`)}">${HEAD}${arrows}${boxes}</svg></div>\n`;
}

const HEAD =
  '<defs><marker id="flow-head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path d="M0 0 L8 4 L0 8 Z"/></marker></defs>';

function read(source: string): { readonly nodes: readonly Node[]; readonly edges: readonly Edge[] } {
  const [first, ...lines] = source.trim().split('\n');
  const nodes: Node[] = [];
  const edges: Edge[] = [];
  if (first !== 'flowchart TD') throw new RangeError(`A chart begins with "flowchart TD", not "${first}"`);
  for (const line of lines.map((each) => each.trim())) {
    const [, from, to] = EDGE.exec(line) ?? [];
    const [, id, open, label] = NODE.exec(line) ?? [];
    if (from !== undefined && to !== undefined) edges.push([from, to]);
    else if (id !== undefined && label !== undefined) nodes.push({ id, label, isFirst: open === '([' });
    else throw new RangeError(`No box and no arrow: "${line}"`);
  }
  return { nodes, edges };
}

/** Boxes row by row: below all that lead to them, but for arrows that close a circle. */
function rowsOf(nodes: readonly Node[], edges: readonly Edge[]): Node[][] {
  const rowOf = new Map<string, number>();
  const above = new Set<string>();
  const sink = (id: string, row: number): void => {
    if (above.has(id) || (rowOf.get(id) ?? -1) >= row) return;
    rowOf.set(id, row);
    above.add(id);
    for (const [from, to] of edges) if (from === id) sink(to, row + 1);
    above.delete(id);
  };
  const reached = new Set(edges.map(([, to]) => to));
  for (const { id, isFirst } of nodes) if (isFirst || !reached.has(id)) sink(id, 0);
  for (const { id } of nodes) if (!rowOf.has(id)) sink(id, 0);
  const rows: Node[][] = [];
  for (const node of nodes) {
    const row = rowOf.get(node.id)!;
    while (rows.length <= row) rows.push([]);
    rows[row]!.push(node);
  }
  return ordered(rows, edges);
}

/** Each row in the order of what leads to its boxes, so that few arrows cross. */
function ordered(rows: readonly Node[][], edges: readonly Edge[]): Node[][] {
  const share = new Map<string, number>();
  return rows.map((row) => {
    const wished = row.map((node) => {
      const from = edges.filter(([, to]) => to === node.id).flatMap(([each]) => share.get(each) ?? []);
      return { node, at: from.length === 0 ? 0.5 : from.reduce((sum, each) => sum + each, 0) / from.length };
    });
    const sorted = wished.toSorted((one, other) => one.at - other.at).map(({ node }) => node);
    for (const [at, { id }] of sorted.entries()) share.set(id, (at + 0.5) / sorted.length);
    return sorted;
  });
}

const boxWidth = ({ label }: Node) => Math.round(label.length * LETTER + 18);
const widthOf = (row: readonly Node[]) => row.reduce((sum, node) => sum + boxWidth(node) + GAP, -GAP);

function placesOf(rows: readonly Node[][], width: number): Map<string, Place> {
  const places = new Map<string, Place>();
  for (const [row, nodes] of rows.entries()) {
    let x = (width - widthOf(nodes)) / 2;
    for (const node of nodes) {
      places.set(node.id, { x, row, width: boxWidth(node) });
      x += boxWidth(node) + GAP;
    }
  }
  return places;
}

const topOf = ({ row }: Place) => MARGIN + row * (HEIGHT + ROW_GAP);
const middleOf = ({ x, width }: Place) => Math.round(x + width / 2);

function arrow(from: Place, to: Place): string {
  const isDown = to.row > from.row;
  const [start, end] = [topOf(from) + (isDown ? HEIGHT : 0), topOf(to) + (isDown ? 0 : HEIGHT)];
  const bend = isDown ? ROW_GAP * 0.8 : -ROW_GAP * 0.8;
  // Two arrows between the same boxes must not lie on each other.
  const aside = isDown ? 0 : 14;
  const [x1, x2] = [middleOf(from) + aside, middleOf(to) + aside];
  return `<path class="arrow" d="M${x1} ${start} C${x1} ${start + bend} ${x2} ${end - bend} ${x2} ${end}" marker-end="url(#flow-head)"/>`;
}

function box(node: Node, place: Place): string {
  const kind = node.isFirst ? ' class="first"' : '';
  return `<rect${kind} x="${place.x}" y="${topOf(place)}" width="${place.width}" height="${HEIGHT}" rx="${node.isFirst ? HEIGHT / 2 : 6}"/><text x="${middleOf(place)}" y="${topOf(place) + 22}">${escaped(node.label)}</text>`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
