/** The lengths of passages that PersonalAI keeps (Appendix E), in characters. */
export const PASSAGE_LENGTHS = { shortest: 64, longest: 1_024 } as const;

export function isKeptLength(text: string): boolean {
  return text.length >= PASSAGE_LENGTHS.shortest && text.length <= PASSAGE_LENGTHS.longest;
}

const OVERLAP = 64;
const BREAK = '\n\n';

/**
 * Splits a text at empty lines into fragments of at most 1,024 characters, which repeat whole paragraphs of at most 64
 * characters of the fragment before. A longer paragraph stays whole (PersonalAI, Appendix E).
 */
export function fragmentsOf(text: string): string[] {
  const paragraphs = text.split(/\n\s*\n/).map((paragraph) => paragraph.trim());
  const fragments: string[] = [];
  let open: string[] = [];
  for (const paragraph of paragraphs.filter((each) => each !== '')) {
    if (open.length > 0 && lengthOf([...open, paragraph]) > PASSAGE_LENGTHS.longest) {
      fragments.push(open.join(BREAK));
      while (
        open.length > 0 &&
        (lengthOf(open) > OVERLAP || lengthOf([...open, paragraph]) > PASSAGE_LENGTHS.longest)
      )
        open = open.slice(1);
    }
    open.push(paragraph);
  }
  return open.length === 0 ? fragments : [...fragments, open.join(BREAK)];
}

function lengthOf(paragraphs: readonly string[]): number {
  return paragraphs.join(BREAK).length;
}
