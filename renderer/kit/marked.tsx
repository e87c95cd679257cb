import { markedParts } from './marked-parts.ts';

/** Text in which matches stand between U+0001 and U+0002. It is shown as text, whatever it contains. */
export function Marked({ text }: { readonly text: string }) {
  return markedParts(text).map(({ at, part, isMatch }) => (isMatch ? <mark key={at}>{part}</mark> : part));
}
