import { ChevronDown } from 'lucide-react';
import type { Portrait } from '../../main/contract.ts';
import { Menu, MenuItem } from '../kit/menu.tsx';
import { entityPlace, goTo, memoryPlace, portraitPlace } from '../parts/place/places.ts';
import { speakerName } from '../parts/turn/speaker-name.ts';
import { formatDate, formatNumber, text } from '../strings/text.ts';
import styles from './portrait-screen.module.css';

interface HeadProps {
  readonly portrait: Portrait;
  readonly scope: string;
  readonly isOwn: boolean;
}

/** Whom a portrait is of, and how much memory knows. */
export function PortraitHead({ portrait, scope, isOwn }: HeadProps) {
  const words = text.memory.portrait;
  const { entity, facts, turns, since, summary } = portrait;
  const name = speakerName(entity?.name ?? '');
  const figures = [
    factsText(facts),
    turns === 1 ? words.turn : words.turns(formatNumber(turns)),
    ...(since === null ? [] : [words.since(formatDate(since))]),
  ];
  return (
    <>
      <header className={styles.head}>
        <Avatar name={name} isLarge />
        <div className="stack may-narrow">
          <p className="accent-text text-14 medium">{isOwn ? words.question : words.questionOther(name)}</p>
          <h1 className="text-28 may-break">{name}</h1>
          <p className="faint text-14">
            {figures.join(' · ')}
            {entity !== null && (
              <>
                {' · '}
                <a href={entityPlace(scope, entity.id)}>{text.browse.graph.openPage}</a>
              </>
            )}
          </p>
        </div>
      </header>
      {summary !== '' && <p className="may-break below-4">{summary}</p>}
    </>
  );
}

function factsText(facts: number): string {
  const words = text.memory.portrait;
  return facts === 1 ? words.fact : words.facts(formatNumber(facts));
}

/** People who are offered at once; the others are in a menu. */
const FEW_PEOPLE = 6;

interface PeopleProps {
  readonly people: Portrait['people'];
  readonly entity: string | null;
  /** Id of the user. */
  readonly own: string | null;
  readonly scope: string;
}

/** Whose portraits there are. */
export function People({ people, entity, own, scope }: PeopleProps) {
  const words = text.memory.portrait;
  if (people.length < 2) return null;
  const choose = (id: string) => goTo(id === own ? memoryPlace(scope) : portraitPlace(scope, id));
  const more = people.slice(FEW_PEOPLE);
  return (
    <nav className="flow gap-6px below-4" aria-label={words.people}>
      {people.slice(0, FEW_PEOPLE).map(({ id, name: plain, facts }) => {
        const name = speakerName(plain);
        return (
          <button
            key={id}
            type="button"
            className={styles.person}
            aria-pressed={id === entity}
            title={name}
            onClick={() => choose(id)}
          >
            <Avatar name={name} />
            <span className="ellipsis">{name}</span>
            {id === own && name === plain && <small>({words.you})</small>}
            <small>{formatNumber(facts)}</small>
          </button>
        );
      })}
      {more.length > 0 && (
        <Menu
          align="start"
          trigger={
            <button type="button" className={styles.person}>
              {words.peopleMore}
              <ChevronDown size={15} aria-hidden />
            </button>
          }
        >
          {more.map(({ id, name, facts }) => (
            <MenuItem key={id} isChecked={id === entity} note={factsText(facts)} onSelect={() => choose(id)}>
              {name}
            </MenuItem>
          ))}
        </Menu>
      )}
    </nav>
  );
}

function Avatar({ name, isLarge = false }: { readonly name: string; readonly isLarge?: boolean }) {
  return (
    <span className={isLarge ? styles.large : styles.avatar} aria-hidden>
      {[...name.trim()][0]?.toUpperCase() ?? '?'}
    </span>
  );
}
