import { CircleHelp, EyeOff, SearchX } from 'lucide-react';
import type { Why } from '../../../main/contract.ts';
import { Empty, Loading, Notice } from '../../kit/feedback.tsx';
import { Tooltip } from '../../kit/tooltip.tsx';
import { useReply } from '../../state/connection.tsx';
import { formatNumber, text } from '../../strings/text.ts';
import { useConversationHere } from '../place/use-places.ts';
import { CategoryWalk } from './category-walk.tsx';
import { Evidence } from './evidence.tsx';
import { EvidenceChart } from './evidence-chart.tsx';
import { RouteList } from './route-list.tsx';
import styles from './why-panel.module.css';
import { leadOf, stateOf, usedText } from './why-summary.ts';

/** The most evidence that is asked for. */
const MOST = 200;

/** Why an answer says what it says: first in words, then the routes, the way through the categories, the evidence. */
export function WhyPanel({ message }: { readonly message: string }) {
  const { data: why, error } = useReply('why', { message, limit: MOST });
  const here = useConversationHere();
  if (error) return <Notice kind="problem">{error.message}</Notice>;
  if (why === undefined) return <Loading bars={[[20, '80%'], [56], [96], [160]]} />;
  const answer = here?.messages.find(({ id }) => id === message);
  return <Shown why={why} isPrivate={answer?.isPrivate ?? false} />;
}

interface ShownProps {
  readonly why: Why;
  readonly isPrivate: boolean;
}

function Shown({ why, isPrivate }: ShownProps) {
  const words = text.memory.why;
  const state = stateOf(why, isPrivate);
  if (state === 'private')
    return (
      <Empty icon={EyeOff} title={words.private}>
        <p>{words.privateText}</p>
      </Empty>
    );
  if (state === 'unknown')
    return (
      <Empty icon={CircleHelp} title={words.older}>
        <p>{words.olderText}</p>
      </Empty>
    );
  const walks = why.routes.flatMap(({ walk }) => walk ?? []);
  return (
    <div className="stack gap-5 below-4">
      {why.question !== '' && (
        <blockquote
          className={`clamp quoted soft text-14 may-break ${styles.question}`}
          aria-label={words.question}
          title={why.question}
        >
          {why.question}
        </blockquote>
      )}
      {state === 'nothing' ? (
        <div className="flex gap-3 soft">
          <SearchX size={18} aria-hidden />
          <p>
            <strong className="emphasis">{words.nothing}</strong> {words.nothingText}
          </p>
        </div>
      ) : (
        <>
          <p className={styles.lead}>{leadOf(why)}</p>
          <EvidenceChart items={why.items} />
        </>
      )}
      <RouteList routes={why.routes} />
      {walks.map((walk) => (
        <CategoryWalk key={walk.selector} walk={walk} />
      ))}
      {state === 'found' && <Evidence items={why.items} scope={why.scope} />}
      <footer className="stack note at-top gap-1">
        {why.used !== null && <p>{usedText(why.used)}</p>}
        {state === 'found' && why.leftOut > 0 && <p>{words.leftOut(why.leftOut)}</p>}
        {state === 'found' && (
          <Tooltip label={`${text.memory.terms.tokens} ${text.memory.terms.recipe}`}>
            <button type="button" className={styles.foot}>
              {words.foot(formatNumber(why.tokens), why.recipe)}
            </button>
          </Tooltip>
        )}
      </footer>
    </div>
  );
}
