import { useState } from 'react';
import type { MessageCitation } from '../../../main/contract.ts';
import { text } from '../../strings/text.ts';
import { openCited } from './citation-mark.tsx';
import styles from './citations.module.css';
import { quoteParts } from './quote-parts.ts';

const FEW = 3;

interface SourceRowProps {
  readonly scope: string;
  readonly citations: readonly MessageCitation[];
}

/** What an answer rests on, under it. */
export function SourceRow({ scope, citations }: SourceRowProps) {
  const [isWhole, setWhole] = useState(false);
  if (citations.length === 0) return null;
  const shown = isWhole || citations.length <= FEW + 1 ? citations : citations.slice(0, FEW);
  return (
    <ul className={`flow gap-6px ${styles.row}`} aria-label={text.chat.sources.label}>
      {shown.map((citation) => (
        <li key={citation.number}>
          <button
            type="button"
            className={styles.source}
            title={quoteParts(citation.quote).words.slice(0, 400)}
            onClick={() => openCited(scope, citation)}
          >
            <span className="visually-hidden">{text.chat.sources.prefix}</span>
            <span className={styles.mark}>{citation.number}</span>
            <span className="ellipsis">{quoteParts(citation.quote).words}</span>
          </button>
        </li>
      ))}
      {citations.length > FEW + 1 && (
        <li>
          <button
            type="button"
            className={styles.source}
            aria-expanded={isWhole}
            onClick={() => setWhole(!isWhole)}
          >
            {isWhole ? text.chat.sources.less : text.chat.sources.more(citations.length - FEW)}
          </button>
        </li>
      )}
    </ul>
  );
}
