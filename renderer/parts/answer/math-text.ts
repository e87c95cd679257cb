/** Code is left alone: fences, then code within a line. */
const CODE = /(```[\s\S]*?(?:```|$)|~~~[\s\S]*?(?:~~~|$)|`[^`\n]+`)/;
const DISPLAY = /\\\[([\s\S]+?)\\\]/g;
const INLINE = /\\\(([\s\S]+?)\\\)/g;
/** One dollar sign on each side counts only around something like a formula: an amount of money does not. */
const DOLLARS = /(?<![\\$\w])\$(?=[^\s$])([^$\n]*?[\\^_{}=][^$\n]*?)(?<=[^\s\\$])\$(?![\d$])/g;

/** Writes the ways in which models mark formulas as `$$…$$`, the one that is parsed. */
export function mathText(text: string): string {
  return text
    .split(CODE)
    .map((part, index) => (index % 2 === 1 ? part : withDollars(part)))
    .join('');
}

function withDollars(text: string): string {
  return text
    .replace(DISPLAY, (_, formula: string) => `\n$$\n${formula.trim()}\n$$\n`)
    .replace(INLINE, (_, formula: string) => `$$${formula.trim()}$$`)
    .replace(DOLLARS, (_, formula: string) => `$$${formula}$$`);
}

/** Whether a text, after `mathText`, has a formula outside of code. */
export function hasMath(text: string): boolean {
  return text.split(CODE).some((part, index) => index % 2 === 0 && part.includes('$$'));
}
