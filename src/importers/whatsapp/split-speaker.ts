import { withoutMarks } from './line.ts';

/** "Ana: Hello". A colon without a space parts a name from words only after the name of somebody known. */
export function splitSpeaker(
  rest: string,
  people: ReadonlySet<string> | null,
): { speaker: string; said: string } | null {
  const match = /^([^:\n]{1,120}):(\s|$)?/.exec(rest);
  if (match === null) return null;
  const speaker = withoutMarks(match[1]!).replace(/^~\s?/, '').trim();
  const isName = speaker !== '' && !/["“”«»„]/.test(speaker);
  const isParted = match[2] !== undefined ? people === null || people.has(speaker) : people?.has(speaker);
  return isName && isParted ? { speaker, said: rest.slice(match[0].length) } : null;
}
