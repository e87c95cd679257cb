/** The longest text that a link may bring. */
const MOST_CHARACTERS = 2_000;

/**
 * The text that the address of a new chat brings (`#/?ask=TEXT`), as a link `mnemis://ask` does; null if it brings none.
 * The text is written into the field and never sent.
 */
export function askedText(hash: string): string | null {
  const [, query] = /^#?\/?\?(.*)$/.exec(hash) ?? [];
  const words = query === undefined ? '' : (new URLSearchParams(query).get('ask') ?? '').trim();
  return words === '' ? null : words.slice(0, MOST_CHARACTERS);
}
