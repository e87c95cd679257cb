/** Lines that the command line prints around what it found; they say nothing by themselves. */
const REASON =
  /^\s*(?:\[\d{1,3}\]\s+(?:episode|fact|entity)(?:, \d{4}-\d{2}-\d{2})?;\s+)?\S{0,60}: [^;]{0,1000}; score -?\d{1,6}(?:\.\d{1,9})?; from \S/;
const TITLE = /^\s*(?:Episodes|Facts|Entities)\s*$/;
const COUNT = /^\s*\d{1,6} items in \d{1,9}(?:\.\d{1,3})? ms\s*$/;
const TAG = /^\s*<\/?[A-Za-z][\w-]{0,40}>\s*$/;
/** "Here is what I remember:" */
const INTRODUCTION = /^[^\n]{1,160}[:：]\s*$/u;

/** Whether a line only goes with the recalled one above it: why it was found, how many there were. */
export function closesRecalled(line: string): boolean {
  return REASON.test(line) || COUNT.test(line) || TAG.test(line);
}

/** Whether a line only announces the recalled one below it. A person's own introduction may be a message. */
export function opensRecalled(line: string, { isPerson }: { readonly isPerson: boolean }): boolean {
  return TITLE.test(line) || TAG.test(line) || (!isPerson && INTRODUCTION.test(line));
}
