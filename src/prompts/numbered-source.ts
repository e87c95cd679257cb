import { CONTINUED, LINE_BREAK } from './as-data.ts';

/**
 * A source under the number by which an answer cites it. Whatever rendered it, it has no line that could pass for the
 * next one.
 *
 * @param place From 0.
 */
export function numberedSource(source: string, place: number): string {
  const [first, ...others] = source.split(LINE_BREAK);
  const further = others.map((line) => (line.startsWith(CONTINUED) ? line : `${CONTINUED}${line.trim()}`));
  return [`[${place + 1}] ${first}`, ...further].join('\n');
}
