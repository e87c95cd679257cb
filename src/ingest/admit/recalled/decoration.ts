/** What stands before the text of a list item: bullets, numbers, "[1]". */
const MARKER = /^\s*(?:[-*•‣◦>#+–—]+\s+|\(?\d{1,3}[.)]\s+|\[\d{1,3}\]:?\s*)/;
const DATE =
  /^\s*[([]?(?:\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?Z?)?|\d{1,2} \p{L}{3,12},? \d{4}|\p{L}{3,12} \d{1,2},? \d{4})[)\]]?\s*(?:[-–—:,;]\s*)?(?=\S)/u;
/** "Gina:", "Gina (person, dancer):", "[photo:". */
const LABEL = /^[^:：\n]{1,120}(?::\s+|：\s*)/u;
/** As a speaker or an entity is named, rather than "Here is what I thought of it:". */
const SPEAKER = /^\s*[\p{L}\p{N}][^:：.!?,;()\n“”"]{0,40}(?:\([^()\n]{1,100}\))?\s?(?::\s+|：)/u;
const MOST_MARKERS = 4;

/** How long the markers and the date at a line's start are; 0 without them. */
export function decorationLength(line: string): number {
  let length = 0;
  for (let count = 0; count < MOST_MARKERS; count += 1) {
    const marker = MARKER.exec(line.slice(length, length + 80));
    if (marker === null) break;
    length += marker[0].length;
  }
  return length + dateLength(line.slice(length, length + 80));
}

function dateLength(text: string): number {
  return DATE.exec(text)?.[0].length ?? 0;
}

/** How long "Speaker: " at a text's start is; 0 without it. */
export function labelLength(text: string): number {
  return LABEL.exec(text.slice(0, 140))?.[0].length ?? 0;
}

/** Whether it is a name or an entity with its tags that stands before a colon, as memory prints them. */
export function startsWithSpeaker(text: string): boolean {
  const name = SPEAKER.exec(text.slice(0, 160))?.[0];
  return name !== undefined && name.split('(')[0]!.trim().split(/\s+/).length <= 4;
}
