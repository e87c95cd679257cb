import { MessageSquareText, Shapes, Sparkles } from 'lucide-react';
import { useState } from 'react';
import type { WhyItem } from '../../../main/contract.ts';
import type { Vote } from '../../../src/model/retrieved-item.ts';
import { MoreButton } from '../../kit/button.tsx';
import { Tooltip } from '../../kit/tooltip.tsx';
import { openSource } from '../../state/ui.ts';
import { formatDate, text } from '../../strings/text.ts';
import { speakerName } from '../turn/speaker-name.ts';
import styles from './evidence.module.css';
import { citedOf, formatScore, strengthOf, uncitedOf, voteAbout, voteName } from './why-summary.ts';

/** Uncited pieces that are shown at first. */
const FEW = 8;

interface EvidenceProps {
  readonly items: readonly WhyItem[];
  readonly scope: string;
  /** A word about a piece, such as that another search did not find it; null for none. */
  readonly markOf?: ((item: WhyItem) => string | null) | undefined;
}

/** The evidence: first what the answer cites, then the rest by place. */
export function Evidence({ items, scope, markOf }: EvidenceProps) {
  const words = text.memory.why;
  const [isWhole, setWhole] = useState(false);
  const [cited, others] = [citedOf(items), uncitedOf(items)];
  const shown = isWhole ? others : others.slice(0, FEW);
  return (
    <section className="stack gap-2" aria-label={words.evidence}>
      {cited.length > 0 && (
        <>
          <h3 className="caption">{words.citedOnes}</h3>
          <Pieces items={cited} scope={scope} markOf={markOf} />
        </>
      )}
      {others.length > 0 && (
        <>
          <h3 className={cited.length > 0 ? 'caption above-3' : 'caption'}>
            {cited.length > 0 ? words.otherOnes : words.evidence}
          </h3>
          <Pieces items={shown} scope={scope} markOf={markOf} />
        </>
      )}
      <MoreButton isShown={shown.length < others.length} onClick={() => setWhole(true)}>
        {words.showAll(others.length)}
      </MoreButton>
    </section>
  );
}

function Pieces({ items, scope, markOf }: EvidenceProps) {
  return (
    <ol className="stack gap-2">
      {items.map((item) => (
        <Piece key={`${item.kind} ${item.id}`} item={item} scope={scope} mark={markOf?.(item) ?? null} />
      ))}
    </ol>
  );
}

const KINDS = { episode: MessageSquareText, fact: Sparkles, entity: Shapes };

interface PieceProps {
  readonly item: WhyItem;
  readonly scope: string;
  readonly mark: string | null;
}

function Piece({ item, scope, mark }: PieceProps) {
  const { kind, text: said, speaker, at, rank, cited, votes, sources } = item;
  const words = text.memory.why;
  const Kind = KINDS[kind];
  const [source] = sources;
  const episode = kind === 'episode' ? item.id : source?.episode;
  const who = [
    kind === 'episode' ? speakerName(speaker ?? words.kinds.episode) : words.kinds[kind],
    ...(at === null ? [] : [formatDate(at)]),
  ];
  const canOpen = said !== null && episode !== undefined;
  return (
    <li className={styles.piece} data-cited={cited !== null || undefined} data-open={canOpen || undefined}>
      <Tooltip
        label={
          cited === null
            ? `${words.place(rank)}. ${text.memory.terms.score}`
            : `${words.cited(cited)}, ${words.place(rank).toLowerCase()}. ${text.memory.terms.cited}`
        }
      >
        <span className={styles.number}>
          {cited === null ? <Kind size={13} aria-hidden /> : <span aria-hidden>{cited}</span>}
          <span className="visually-hidden">{cited === null ? words.place(rank) : words.cited(cited)}</span>
        </span>
      </Tooltip>
      <div className={`stack fills ${styles.words}`}>
        {said === null ? (
          <p className="faint text-14 italic" title={text.memory.terms.forgotten}>
            {words.forgotten}
          </p>
        ) : canOpen ? (
          <button type="button" className="covers" onClick={() => openSource(scope, episode)}>
            <span className={styles.said}>{said}</span>
          </button>
        ) : (
          <p className={styles.said}>{said}</p>
        )}
        <p className="note may-break">
          {who.join(' · ')}
          {mark !== null && <span className={`text-12 strong one-line warned ${styles.mark}`}>{mark}</span>}
        </p>
        <Votes votes={votes} />
      </div>
    </li>
  );
}

function Votes({ votes }: { readonly votes: readonly Vote[] }) {
  const words = text.memory.why;
  const path = votes.find((vote) => (vote.path?.length ?? 0) > 0)?.path;
  return (
    <>
      <ul className={`flow gap-5px ${styles.votes}`}>
        {votes.map((vote) => (
          <li key={`${vote.route} ${vote.list}`}>
            <Tooltip label={`${voteAbout(vote)} ${words.voteScore(formatScore(vote.score))}`}>
              <button
                type="button"
                className={styles.vote}
                style={{ '--strength': `${Math.round(100 * strengthOf(vote.rank))}%` } as React.CSSProperties}
              >
                <span>{voteName(vote)}</span> <b className="figures">{text.memory.rank(vote.rank)}</b>
              </button>
            </Tooltip>
          </li>
        ))}
      </ul>
      {path !== undefined && (
        <ol className={`flow faint text-12 ${styles.path}`}>
          {path.map((name, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a name may occur twice, and a path does not change
            <li key={at} className="may-break">
              {name}
            </li>
          ))}
        </ol>
      )}
    </>
  );
}
