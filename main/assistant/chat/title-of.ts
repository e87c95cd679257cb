const LONGEST = 60;

/** A title from the first message of a conversation: its first sentence, cut after a word. */
export function titleOf(text: string): string {
  const line = text
    .trim()
    .split('\n', 1)[0]!
    .replaceAll(/\s+/g, ' ')
    .replace(/^[#>*\-\s]+/, '');
  const sentence = /^.*?[.!?。！？](?=\s|$)/u.exec(line)?.[0] ?? line;
  const plain = sentence.replace(/[.。]$/, '').trim() || text.trim();
  if (plain.length <= LONGEST) return plain;
  const cut = plain.slice(0, LONGEST);
  const end = cut.lastIndexOf(' ');
  return `${(end > LONGEST / 2 ? cut.slice(0, end) : cut).toWellFormed().trimEnd()}…`;
}
