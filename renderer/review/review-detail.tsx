import { ExternalLink } from 'lucide-react';
import type { ReactNode } from 'react';
import type { ReviewEntity, ReviewFact, ReviewItem, ReviewTurn } from '../../main/contract.ts';
import { Pill } from '../kit/choice.tsx';
import { datesOf } from '../parts/fact/fact-dates.ts';
import { StatementEditor } from '../parts/fact/statement-editor.tsx';
import { sourceName } from '../parts/turn/source-name.ts';
import { speakerName } from '../parts/turn/speaker-name.ts';
import { reviewText } from '../strings/review-text.ts';
import { formatDate, text } from '../strings/text.ts';
import styles from './review-screen.module.css';

interface DetailProps {
  readonly item: ReviewItem;
  readonly isBusy: boolean;
  /** Id of the fact whose words are edited. */
  readonly editing: string | null;
  readonly onOpen: (episode: string) => void;
  readonly onEdit: (fact: string | null) => void;
  readonly onSave: (fact: string, statement: string) => Promise<boolean>;
}

/** What an item is about, and its evidence. */
export function ReviewDetail(props: DetailProps) {
  return (
    <article className={styles.detail} aria-labelledby="review-item">
      <h2 id="review-item" className="text-16">
        {headingOf(props.item)}
      </h2>
      <Evidence {...props} />
    </article>
  );
}

function headingOf(item: ReviewItem): string {
  const words = reviewText;
  switch (item.kind) {
    case 'contradiction':
      return words.reasons[item.reason];
    case 'merge':
      return words.likely(Math.round(item.confidence * 100));
    case 'injection':
      return item.signs.length === 0 ? words.weakSource : words.suspected;
    case 'unsure':
      return words.sure(Math.round(item.fact.line.confidence * 100));
    case 'set-aside':
    case 'dropped':
      return words.lists[item.kind].name;
  }
}

function Evidence({ item, ...rest }: DetailProps) {
  const words = reviewText;
  const { onOpen } = rest;
  switch (item.kind) {
    case 'contradiction':
      return (
        <div className={styles.two}>
          {item.reason === 'topics'
            ? item.topics.map(({ summary, said }, at) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: there are two, and each is its place
                <Card key={at} statement={summary} said={said} onOpen={onOpen} />
              ))
            : item.facts.map((fact, at) => (
                <FactCard
                  key={fact.line.id}
                  fact={fact}
                  label={at === 0 ? words.first : words.second}
                  {...rest}
                />
              ))}
        </div>
      );
    case 'merge':
      return (
        <div className={styles.two}>
          {item.entities.map((entity) => (
            <EntityCard key={entity.id} entity={entity} onOpen={onOpen} />
          ))}
        </div>
      );
    case 'unsure':
      return <FactCard fact={item.fact} {...rest} />;
    case 'injection':
      return (
        <>
          {item.signs.length === 0 && <p className="soft text-14">{words.weakSourceText}</p>}
          <ul className="stack gap-2">
            {item.signs.map(({ sign, quote }) => (
              <li key={sign} className="flow at-baseline gap-2">
                <Pill kind="warning">{words.signs[sign] ?? sign}</Pill>
                <q className="soft text-14 may-break">{quote}</q>
              </li>
            ))}
          </ul>
          <Card said={[item.turn]} onOpen={onOpen} isWhole />
          <p className="soft text-14">{words.restingOn(item.facts.length)}</p>
          <Statements facts={item.facts} />
        </>
      );
    case 'set-aside':
      return (
        <>
          <p className="soft text-14">
            {item.failure === null
              ? words.setAsideUnknown
              : `${words.setAsideFor(item.failure.reason)} ${words.attempts(item.failure.attempts)}`}
          </p>
          <Card said={[item.turn]} onOpen={onOpen} isWhole />
        </>
      );
    case 'dropped':
      return <Card said={[item.turn]} onOpen={onOpen} isWhole />;
  }
}

interface CardProps extends Pick<DetailProps, 'onOpen'> {
  readonly label?: string | undefined;
  readonly statement?: ReactNode;
  readonly children?: ReactNode;
  readonly said: readonly ReviewTurn[];
  readonly isWhole?: boolean;
}

/** One side of an item: what it says, and who said so. */
function Card({ label, statement, children, said, isWhole = false, onOpen }: CardProps) {
  return (
    <div className={styles.card}>
      {label !== undefined && <p className="accent-text text-12 strong">{label}</p>}
      {typeof statement === 'string' ? <p className={styles.statement}>{statement}</p> : statement}
      {children}
      {said.map((turn) => (
        <Said key={turn.id} turn={turn} isWhole={isWhole} onOpen={onOpen} />
      ))}
    </div>
  );
}

function Statements({
  facts,
}: {
  readonly facts: readonly { readonly id: string; readonly statement: string }[];
}) {
  if (facts.length === 0) return null;
  return (
    <ul className={styles.facts}>
      {facts.map(({ id, statement }) => (
        <li key={id}>{statement}</li>
      ))}
    </ul>
  );
}

interface FactProps extends Omit<DetailProps, 'item'> {
  readonly fact: ReviewFact;
  readonly label?: string;
}

function FactCard({ fact: { line, said }, label, editing, isBusy, onEdit, onSave, onOpen }: FactProps) {
  const words = reviewText;
  const dates = datesOf(line);
  const isEdited = editing === line.id;
  const editor = isEdited && (
    <StatementEditor
      statement={line.statement}
      isBusy={isBusy}
      onClose={() => onEdit(null)}
      onSave={(statement) => onSave(line.id, statement)}
    />
  );
  return (
    <Card label={label} statement={editor || line.statement} said={said} onOpen={onOpen}>
      <p className={styles.meta}>
        {dates !== null && <span>{dates}</span>}
        <span>{words.sure(Math.round(line.confidence * 100))}</span>
        {line.isPinned && <span>{text.memory.fact.pinned}</span>}
        {label !== undefined && !isEdited && (
          <button
            type="button"
            className="underlined"
            aria-label={words.editLabel(line.statement)}
            disabled={isBusy}
            onClick={() => onEdit(line.id)}
          >
            {words.actions.edit}
          </button>
        )}
      </p>
    </Card>
  );
}

function EntityCard({ entity, onOpen }: { readonly entity: ReviewEntity } & Pick<DetailProps, 'onOpen'>) {
  const words = reviewText;
  const { name, aliases, facts, turns, latest, said } = entity;
  return (
    <Card statement={speakerName(name)} said={said} onOpen={onOpen}>
      <p className={styles.meta}>
        <span>{words.known(facts, turns)}</span>
        {aliases.length > 0 && <span>{words.alsoCalled(aliases)}</span>}
      </p>
      <Statements facts={latest} />
      {latest.length === 0 && <p className="soft text-14">{words.noFacts}</p>}
    </Card>
  );
}

interface SaidProps extends Pick<DetailProps, 'onOpen'> {
  readonly turn: ReviewTurn;
  readonly isWhole: boolean;
}

/** A turn as it was said. Its text is data: it is shown as text, whatever it contains. */
function Said({ turn, isWhole, onOpen }: SaidProps) {
  const words = reviewText;
  return (
    <figure className={styles.said} data-whole={isWhole || undefined}>
      <figcaption className="flow centred faint text-12">
        <strong className="soft">{speakerName(turn.speaker)}</strong>
        <span>
          {formatDate(turn.at)} · {sourceName(turn.source)}
        </span>
        {turn.trust === 'low' && <Pill kind="warning">{words.weakSource}</Pill>}
      </figcaption>
      <blockquote>{turn.text}</blockquote>
      <button
        type="button"
        className="inline-line gap-1 text-13 keeps-width underlined"
        onClick={() => onOpen(turn.id)}
      >
        <ExternalLink size={13} aria-hidden />
        {words.openTurn}
      </button>
    </figure>
  );
}
