import type { GivenAnswer } from '../../../main/contract.ts';
import { text } from '../../strings/text.ts';

/** Under an answer: what went wrong, and the nearest that memory holds where it has no answer. */
export function AnswerNotes({ notes, found }: Pick<GivenAnswer, 'notes' | 'found'>) {
  const lines = found === undefined ? notes : [text.chat.sources.found(found.quote), ...notes];
  return lines.map((line) => (
    <p key={line} className="note">
      {line}
    </p>
  ));
}
