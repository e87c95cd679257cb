import { HoverCard } from 'radix-ui';
import { createContext, useContext } from 'react';
import type { MessageCitation } from '../../main/contract.ts';
import { useUi } from '../state/ui.ts';
import { text } from '../strings/text.ts';
import styles from './citations.module.css';

/** What the numbers in a text stand for. */
export interface Cited {
  readonly scope: string;
  readonly citations: readonly MessageCitation[];
  /** While an answer is written: numbers up to this one will become citations. */
  readonly expected: number;
}

export const CitedContext = createContext<Cited>({ scope: '', citations: [], expected: 0 });

/** The numbers of one place in the text, such as "1 2". */
export function CitationMark({ numbers = '' }: { readonly numbers?: string }) {
  const { citations, expected } = useContext(CitedContext);
  const all = numbers.split(' ').map(Number);
  if (!all.every((number) => number <= expected || citations.some((each) => each.number === number)))
    return `[${all.join(', ')}]`;
  return (
    <span className={styles.marks}>
      {all.map((number) => (
        <CitationNumber
          key={number}
          citation={citations.find((each) => each.number === number)}
          number={number}
        />
      ))}
    </span>
  );
}

function CitationNumber({
  citation,
  number,
}: {
  readonly citation: MessageCitation | undefined;
  readonly number: number;
}) {
  const { scope } = useContext(CitedContext);
  if (citation === undefined) return <span className={styles.mark}>{number}</span>;
  return (
    <HoverCard.Root openDelay={250} closeDelay={100}>
      <HoverCard.Trigger asChild>
        <button
          type="button"
          className={styles.mark}
          aria-label={text.chat.sources.open(number)}
          onClick={() => openSource(scope, citation)}
        >
          {number}
        </button>
      </HoverCard.Trigger>
      <HoverCard.Portal>
        <HoverCard.Content className={styles.card} side="top" sideOffset={6} collisionPadding={12}>
          <p className={styles.kind}>{text.chat.sources.kinds[citation.kind]}</p>
          <blockquote className={styles.quote}>{citation.quote}</blockquote>
        </HoverCard.Content>
      </HoverCard.Portal>
    </HoverCard.Root>
  );
}

/** Opens the turn that a citation rests on. */
export function openSource(scope: string, { sources: [first], kind, id }: MessageCitation): void {
  const episode = first?.episode ?? (kind === 'episode' ? id : null);
  if (episode !== null) useUi.getState().set({ inspected: { kind: 'source', scope, episode } });
}
