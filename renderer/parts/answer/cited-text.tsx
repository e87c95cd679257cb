import { useMemo } from 'react';
import type { GivenAnswer, MessageCitation } from '../../../main/contract.ts';
import { AnswerText } from './answer-text.tsx';
import { type Cited, CitedContext } from './citation-mark.tsx';

interface CitedTextProps {
  readonly scope: string;
  /** The text so far, or the answer's. */
  readonly children: string;
  /** None while the answer is written. */
  readonly citations: GivenAnswer['citations'];
  readonly isWriting?: boolean;
}

/** While an answer is written: numbers up to this one will become citations. */
const EXPECTED = 999;

/** An answer outside of a chat, with its citations. */
export function CitedText({ scope, children, citations, isWriting = false }: CitedTextProps) {
  const cited = useMemo<Cited>(
    () => ({ scope, citations: citations.map(citationOf), expected: isWriting ? EXPECTED : 0 }),
    [scope, citations, isWriting],
  );
  return (
    <CitedContext value={cited}>
      <AnswerText isStreaming={isWriting}>{children}</AnswerText>
    </CitedContext>
  );
}

const citationOf = ({ number, item, quote }: GivenAnswer['citations'][number]): MessageCitation => ({
  number,
  quote,
  kind: item.kind,
  id: item.id,
  sources: item.sources.map(({ episode, session, index }) => ({ episode, session, index })),
});
