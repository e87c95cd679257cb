/** Lines around a change that are shown with it. */
const AROUND = 2;
/** Beyond it, the differing part is shown as a whole. */
const MOST_LINES = 2_000;

/** What changes between two texts, by line: "+" and "-" before a line, with a few lines around them. */
export function lineChanges(before: string, after: string): readonly string[] {
  const [old, now] = [linesOf(before), linesOf(after)];
  const marked = compared(old, now);
  const isNear = (at: number) =>
    marked.slice(Math.max(0, at - AROUND), at + AROUND + 1).some((line) => !line.startsWith(' '));
  return marked.flatMap((line, at) => (isNear(at) ? [line] : isNear(at + 1) ? ['…'] : []));
}

const linesOf = (text: string) => (text === '' ? [] : text.replace(/\r?\n$/, '').split(/\r?\n/));

function compared(old: readonly string[], now: readonly string[]): readonly string[] {
  let start = 0;
  while (start < old.length && start < now.length && old[start] === now[start]) start++;
  let end = 0;
  while (end < old.length - start && end < now.length - start && old.at(-1 - end) === now.at(-1 - end)) end++;
  const middle = changed(old.slice(start, old.length - end), now.slice(start, now.length - end));
  const same = (lines: readonly string[]) => lines.map((line) => `  ${line}`);
  return [...same(old.slice(0, start)), ...middle, ...same(old.slice(old.length - end))];
}

/** By the longest common subsequence. */
function changed(old: readonly string[], now: readonly string[]): string[] {
  const [gone, come] = [old.map((line) => `- ${line}`), now.map((line) => `+ ${line}`)];
  if (old.length > MOST_LINES || now.length > MOST_LINES) return [...gone, ...come];
  const lengths = Array.from({ length: old.length + 1 }, () => new Uint16Array(now.length + 1));
  for (let a = old.length - 1; a >= 0; a--)
    for (let b = now.length - 1; b >= 0; b--)
      lengths[a]![b] =
        old[a] === now[b] ? lengths[a + 1]![b + 1]! + 1 : Math.max(lengths[a + 1]![b]!, lengths[a]![b + 1]!);
  const lines: string[] = [];
  let [a, b] = [0, 0];
  while (a < old.length || b < now.length)
    if (a < old.length && b < now.length && old[a] === now[b]) {
      lines.push(`  ${old[a++]}`);
      b++;
    } else if (b >= now.length || (a < old.length && lengths[a + 1]![b]! >= lengths[a]![b + 1]!))
      lines.push(gone[a++]!);
    else lines.push(come[b++]!);
  return lines;
}
