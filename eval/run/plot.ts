import type { Figure } from './metrics.ts';

interface Bar {
  readonly label: string;
  readonly figure: Figure | null;
  /** A figure to compare with, drawn as a diamond: the paper's. */
  readonly mark: number | null;
}

const WIDTH = 760;
const LABELS = 260;
const VALUES = 130;
const TOP = 40;
const STEP = 26;
const THICK = 14;

/** Horizontal bars with their intervals as SVG; readable without a program and in print. */
export function barChart(
  bars: readonly Bar[],
  { title, most }: { readonly title: string; readonly most: number | null },
): string {
  const values = bars.flatMap(({ figure, mark }) => [figure?.high ?? figure?.mean ?? 0, mark ?? 0]);
  const end = most ?? Math.max(1e-9, ...values);
  const place = (value: number) => LABELS + (value / end) * (WIDTH - LABELS - VALUES);
  const height = TOP + bars.length * STEP + 12;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" font-family="sans-serif" font-size="12">`,
    `<title>${text(title)}</title>`,
    `<rect width="${WIDTH}" height="${height}" fill="#fff"/>`,
    `<text x="8" y="20" font-size="14">${text(title)}</text>`,
    ...bars.flatMap((bar, at) => drawn(bar, TOP + at * STEP, place)),
    '</svg>\n',
  ].join('\n');
}

function drawn({ label, figure, mark }: Bar, top: number, place: (value: number) => number): string[] {
  const middle = top + THICK / 2;
  const right = WIDTH - VALUES + 12;
  const numbers = [figure?.mean.toFixed(1) ?? '–', ...(mark === null ? [] : [`(paper ${mark})`])].join(' ');
  return [
    `<text x="${LABELS - 8}" y="${middle + 4}" text-anchor="end">${text(label.slice(0, 40))}</text>`,
    ...(figure === null
      ? []
      : [
          `<rect x="${LABELS}" y="${top}" width="${fixed(place(figure.mean) - LABELS)}" height="${THICK}" fill="#7a9cc6"/>`,
        ]),
    ...(figure === null || figure.low === null
      ? []
      : [
          `<path d="M${fixed(place(figure.low))} ${middle}H${fixed(place(figure.high))}" stroke="#223" stroke-width="1.5"/>`,
        ]),
    ...(mark === null
      ? []
      : [`<path d="M${fixed(place(mark))} ${middle - 6}l5 6l-5 6l-5-6z" fill="#b5532a"/>`]),
    `<text x="${right}" y="${middle + 4}">${numbers}</text>`,
  ];
}

function fixed(value: number): string {
  return value.toFixed(1);
}

function text(value: string): string {
  return value.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
