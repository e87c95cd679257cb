/** Inline code, or a link of a vault: "[[Low Tide]]", "[[People/Ana|my sister]]", "![[chart.png|300]]". */
const VAULT_LINK = /`[^`]*`|(!?)\[\[(?!\s)([^\][|]{1,300}?)(?:\\?\|([^\][]{1,300}))?\]\]/g;

/** A text with what Obsidian shows of its links: the other words, else the note without its folder. Inline code stays. */
export function wordsOfLinks(text: string): string {
  return text.replace(VAULT_LINK, (whole, embed: string, target: string | undefined, words?: string) => {
    if (target === undefined) return whole;
    if (words !== undefined && embed === '') return words;
    return target
      .slice(target.lastIndexOf('/') + 1)
      .split('#')
      .filter((part) => part !== '')
      .join(' > ');
  });
}
