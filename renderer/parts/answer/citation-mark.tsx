import { HoverCard } from 'radix-ui';
import { createContext, useContext } from 'react';
import type { MessageCitation } from '../../../main/contract.ts';
import { openSource } from '../../state/ui.ts';
import { formatWhen, text } from '../../strings/text.ts';
import styles from './citations.module.css';
import { quoteParts } from './quote-parts.ts';

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

interface NumberProps {
  readonly citation: MessageCitation | undefined;
  readonly number: number;
}

function CitationNumber({ citation, number }: NumberProps) {
  const { scope } = useContext(CitedContext);
  if (citation === undefined) return <span className={styles.mark}>{number}</span>;
  return (
    <HoverCard.Root openDelay={250} closeDelay={100}>
      <HoverCard.Trigger asChild>
        <button
          type="button"
          className={styles.mark}
          aria-label={text.chat.sources.open(number)}
          onClick={() => openCited(scope, citation)}
        >
          {number}
        </button>
      </HoverCard.Trigger>
      <HoverCard.Portal>
        <HoverCard.Content className={`popup ${styles.card}`} side="top" sideOffset={6} collisionPadding={12}>
          <Quote citation={citation} />
        </HoverCard.Content>
      </HoverCard.Portal>
    </HoverCard.Root>
  );
}

function Quote({ citation: { quote, kind } }: { readonly citation: MessageCitation }) {
  const { words, who, at } = quoteParts(quote);
  return (
    <>
      <p className="faint text-12">
        {who === null
          ? text.chat.sources.kinds[kind]
          : text.chat.sources.said(speakerName(who), at === null ? '' : formatWhen(at))}
      </p>
      <blockquote className={`clamp text-14 may-break ${styles.quote}`}>{words}</blockquote>
    </>
  );
}

/** A turn without a name has that of its role. */
const speakerName = (who: string): string =>
  who === 'user' ? text.chat.thread.you : who === 'assistant' ? text.app.name : who;

/** Opens the turn that a citation rests on. */
export function openCited(scope: string, { sources: [first], kind, id }: MessageCitation): void {
  const episode = first?.episode ?? (kind === 'episode' ? id : null);
  if (episode !== null) openSource(scope, episode);
}
