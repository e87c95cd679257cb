import { ExternalLink } from 'lucide-react';
import { type FormEvent, type RefObject, useState } from 'react';
import type { ReviewEntity, ReviewFact, ReviewItem, ReviewTurn } from '../../main/contract.ts';
import { Button } from '../kit/button.tsx';
import { Pill } from '../kit/choice.tsx';
import { datesOf } from '../parts/fact/fact-dates.ts';
import { sourceName } from '../parts/turn/source-name.ts';
import { speakerName } from '../parts/turn/speaker-name.ts';
import { formatDate, text } from '../strings/text.ts';
import type { ReviewAction } from './review-actions.ts';
import styles from './review-screen.module.css';

interface DetailProps {
  readonly item: ReviewItem;
  /** Takes the focus when the item opens. */
  readonly heading: RefObject<HTMLHeadingElement | null>;
  readonly actions: readonly ReviewAction[];
  readonly isBusy: boolean;
  /** Id of the fact whose words are edited. */
  readonly editing: string | null;
  readonly onAct: (key: string) => void;
  readonly onOpen: (episode: string) => void;
  readonly onEdit: (fact: string | null) => void;
  readonly onSave: (fact: string, statement: string) => Promise<boolean>;
}

/** One item: what it is about, its evidence, and what can be done. */
export function ReviewDetail(props: DetailProps) {
  const { item, heading, actions, isBusy, onAct } = props;
  const words = text.review;
  return (
    <article className={styles.detail} aria-labelledby="review-item">
      <h2 id="review-item" ref={heading} tabIndex={-1}>
        {headingOf(item)}
      </h2>
      <Evidence {...props} />
      <fieldset className="flow gap-2">
        <legend className="visually-hidden">{words.actionsLabel}</legend>
        {actions.map(({ key, label, icon, look }) => (
          <Button
            key={key}
            {...(look !== undefined && { kind: look })}
            icon={icon}
            aria-keyshortcuts={key}
            disabled={isBusy}
            onClick={() => onAct(key)}
          >
            {label} <kbd>{key.toUpperCase()}</kbd>
          </Button>
        ))}
      </fieldset>
    </article>
  );
}

function headingOf(item: ReviewItem): string {
  const words = text.review;
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
      return words.kinds[item.kind].name;
  }
}

function Evidence({ item, ...rest }: DetailProps) {
  const words = text.review;
  switch (item.kind) {
    case 'contradiction':
      if (item.reason === 'topics')
        return (
          <div className={styles.two}>
            {item.topics.map((topic, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: there are two, and each is its place
              <div key={at} className={styles.card}>
                <p className={styles.statement}>{topic.summary}</p>
                <Said turns={topic.said} onOpen={rest.onOpen} />
              </div>
            ))}
          </div>
        );
      return (
        <div className={styles.two}>
          {item.facts.map((fact, at) => (
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
            <EntityCard key={entity.id} entity={entity} onOpen={rest.onOpen} />
          ))}
        </div>
      );
    case 'unsure':
      return <FactCard fact={item.fact} {...rest} />;
    case 'injection':
      return (
        <>
          {item.signs.length === 0 && <p className="soft text-14">{words.weakSourceText}</p>}
          <ul className={styles.signs}>
            {item.signs.map(({ sign, quote }) => (
              <li key={sign}>
                <Pill kind="warning">{words.signs[sign] ?? sign}</Pill>
                <q>{quote}</q>
              </li>
            ))}
          </ul>
          <div className={styles.card}>
            <Said turns={[item.turn]} onOpen={rest.onOpen} isWhole />
          </div>
          <p className="soft text-14">{words.restingOn(item.facts.length)}</p>
          {item.facts.length > 0 && (
            <ul className={styles.facts}>
              {item.facts.map(({ id, statement }) => (
                <li key={id}>{statement}</li>
              ))}
            </ul>
          )}
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
          <div className={styles.card}>
            <Said turns={[item.turn]} onOpen={rest.onOpen} isWhole />
          </div>
        </>
      );
    case 'dropped':
      return (
        <div className={styles.card}>
          <Said turns={[item.turn]} onOpen={rest.onOpen} isWhole />
        </div>
      );
  }
}

interface FactProps extends Omit<DetailProps, 'item' | 'heading' | 'actions' | 'onAct'> {
  readonly fact: ReviewFact;
  readonly label?: string;
}

function FactCard({ fact: { line, said }, label, editing, isBusy, onEdit, onSave, onOpen }: FactProps) {
  const words = text.review;
  const dates = datesOf(line);
  return (
    <div className={styles.card}>
      {label !== undefined && <p className={styles.label}>{label}</p>}
      {editing === line.id ? (
        <Editor
          statement={line.statement}
          isBusy={isBusy}
          onClose={() => onEdit(null)}
          onSave={(statement) => onSave(line.id, statement)}
        />
      ) : (
        <p className={styles.statement}>{line.statement}</p>
      )}
      <p className={styles.meta}>
        {dates !== null && <span>{dates}</span>}
        <span>{words.sure(Math.round(line.confidence * 100))}</span>
        {line.isPinned && <span>{text.memory.fact.pinned}</span>}
        {label !== undefined && editing !== line.id && (
          <button
            type="button"
            aria-label={words.editLabel(line.statement)}
            disabled={isBusy}
            onClick={() => onEdit(line.id)}
          >
            {words.actions.edit}
          </button>
        )}
      </p>
      <Said turns={said} onOpen={onOpen} />
    </div>
  );
}

interface EditorProps {
  readonly statement: string;
  readonly isBusy: boolean;
  readonly onClose: () => void;
  readonly onSave: (statement: string) => Promise<boolean>;
}

/** Enter saves, Escape leaves it as it was. */
function Editor({ statement, isBusy, onClose, onSave }: EditorProps) {
  const [words, setWords] = useState(statement);
  const changed = words.trim();
  const save = (event?: FormEvent) => {
    event?.preventDefault();
    if (changed === '' || isBusy) return;
    if (changed === statement) onClose();
    else void onSave(changed);
  };
  return (
    <form className={styles.editor} onSubmit={save}>
      <textarea
        aria-label={text.memory.fact.editLabel}
        rows={2}
        maxLength={10_000}
        value={words}
        // biome-ignore lint/a11y/noAutofocus: the person has just asked to edit it
        autoFocus
        onFocus={({ target }) => target.setSelectionRange(target.value.length, target.value.length)}
        onChange={({ target }) => setWords(target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && !event.shiftKey && !event.nativeEvent.isComposing) save(event);
          if (event.key !== 'Escape') return;
          event.preventDefault();
          event.stopPropagation();
          onClose();
        }}
      />
      <div>
        <Button size="small" onClick={onClose}>
          {text.app.cancel}
        </Button>
        <Button size="small" kind="primary" type="submit" disabled={changed === '' || isBusy}>
          {text.app.save}
        </Button>
      </div>
    </form>
  );
}

function EntityCard({ entity, onOpen }: { readonly entity: ReviewEntity } & Pick<DetailProps, 'onOpen'>) {
  const words = text.review;
  const { name, aliases, facts, turns, latest, said } = entity;
  return (
    <div className={styles.card}>
      <p className={styles.statement}>{speakerName(name)}</p>
      <p className={styles.meta}>
        <span>{words.known(facts, turns)}</span>
        {aliases.length > 0 && <span>{words.alsoCalled(aliases)}</span>}
      </p>
      {latest.length > 0 && (
        <ul className={styles.facts}>
          {latest.map(({ id, statement }) => (
            <li key={id}>{statement}</li>
          ))}
        </ul>
      )}
      {latest.length === 0 && <p className="soft text-14">{words.noFacts}</p>}
      <Said turns={said} onOpen={onOpen} />
    </div>
  );
}

interface SaidProps extends Pick<DetailProps, 'onOpen'> {
  readonly turns: readonly ReviewTurn[];
  readonly isWhole?: boolean;
}

/** Turns as they were said. Their text is data: it is shown as text, whatever it contains. */
function Said({ turns, isWhole = false, onOpen }: SaidProps) {
  const words = text.review;
  return (
    <>
      {turns.map((turn) => (
        <figure key={turn.id} className={styles.said} data-whole={isWhole || undefined}>
          <figcaption>
            <strong>{speakerName(turn.speaker)}</strong>
            <span>
              {formatDate(turn.at)} · {sourceName(turn.source)}
            </span>
            {turn.trust === 'low' && <Pill kind="warning">{words.weakSource}</Pill>}
          </figcaption>
          <blockquote>{turn.text}</blockquote>
          <button type="button" onClick={() => onOpen(turn.id)}>
            <ExternalLink size={13} aria-hidden />
            {words.openTurn}
          </button>
        </figure>
      ))}
    </>
  );
}
