/** As a sentence begins. */
export function capitalized(text: string): string {
  const first = String.fromCodePoint(text.codePointAt(0) ?? 32);
  return text === '' ? text : first.toUpperCase() + text.slice(first.length);
}
