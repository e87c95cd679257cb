import {
  Brain,
  ChevronDown,
  Import,
  MessageSquarePlus,
  Search,
  SearchX,
  UserRoundSearch,
} from 'lucide-react';
import { useDeferredValue, useState } from 'react';
import type { Portrait } from '../../main/contract.ts';
import { Button } from '../kit/button.tsx';
import { Empty, Notice, Skeleton } from '../kit/feedback.tsx';
import { Menu, MenuItem } from '../kit/menu.tsx';
import { useFactActions } from '../parts/fact/use-fact-actions.ts';
import { MemoryBar } from '../parts/place/memory-bar.tsx';
import { entityPlace, goTo } from '../parts/place/places.ts';
import { useDefaultScope } from '../parts/place/use-places.ts';
import { speakerName } from '../parts/turn/speaker-name.ts';
import { useReply } from '../state/connection.tsx';
import { formatDate, formatNumber, text } from '../strings/text.ts';
import { ChangeFeed } from './change-feed.tsx';
import { FactGroups, PastFacts } from './fact-groups.tsx';
import { factsShown, groupsShown, keyOfGroup } from './portrait-groups.ts';
import styles from './portrait-screen.module.css';

/** The most facts that are listed. */
const MOST = 1_000;

/** "What do you know about me?" as a page. */
export function PortraitScreen({ scope }: { readonly scope: string | undefined }) {
  const usual = useDefaultScope();
  const chosen = scope ?? usual;
  return (
    <div className={styles.screen}>
      {chosen === null ? <Loading /> : <ScopePortrait key={chosen} scope={chosen} />}
    </div>
  );
}

function ScopePortrait({ scope }: { readonly scope: string }) {
  const [entity, setEntity] = useState<string | null>(null);
  const [own, setOwn] = useState<string | null>(null);
  const { data, error } = useReply(
    'portrait',
    { scope, limit: MOST, ...(entity !== null && { entity }) },
    { keep: true },
  );
  const stats = useReply('stats', { scope }).data;
  // The portrait that is shown by default is the user's.
  if (entity === null && data?.entity != null && data.entity.id !== own) setOwn(data.entity.id);
  if (error)
    return (
      <div className={styles.column}>
        <MemoryBar here="memory" scope={scope} />
        <Notice kind="problem">{error.message}</Notice>
      </div>
    );
  if (data === undefined) return <Loading />;
  if (stats !== undefined && stats.episode === 0 && data.entity === null)
    return (
      <div className={styles.column}>
        <MemoryBar here="memory" scope={scope} />
        <Nothing />
      </div>
    );
  return (
    <div className={styles.column}>
      <MemoryBar here="memory" scope={scope} />
      <Person portrait={data} scope={scope} isOwn={data.entity?.id === own} onChoose={setEntity} own={own} />
    </div>
  );
}

interface PersonProps {
  readonly portrait: Portrait;
  readonly scope: string;
  readonly isOwn: boolean;
  /** Id of the user. */
  readonly own: string | null;
  readonly onChoose: (entity: string | null) => void;
}

function Person({ portrait, scope, isOwn, own, onChoose }: PersonProps) {
  const words = text.memory.portrait;
  const actions = useFactActions(scope);
  const [group, setGroup] = useState<string | null>(null);
  const [query, setQuery] = useState('');
  const wanted = useDeferredValue(query.trim());
  const { entity, groups, past } = portrait;
  const pending = useReply('stats', { scope }).data?.enrichment.pending ?? 0;
  const shown = groupsShown(groups, { query: wanted, group: wanted === '' ? group : null });
  const pastShown = group === null || wanted !== '' ? factsShown(past, wanted) : [];
  const rejected = actions.rejected.filter(
    ({ line }) => !groups.some(({ facts }) => facts.some(({ id }) => id === line.id)),
  );
  return (
    <>
      {entity === null ? (
        <Empty icon={UserRoundSearch} title={words.nobody}>
          <p>{words.nobodyText}</p>
        </Empty>
      ) : (
        <Head portrait={portrait} scope={scope} isOwn={isOwn} />
      )}
      <People people={portrait.people} entity={entity?.id ?? null} own={own} onChoose={onChoose} />
      {pending > 0 && (
        <p className={styles.reading} role="status">
          {words.reading(pending)}
        </p>
      )}
      <div className={styles.body}>
        <div className="stack gap-4 may-narrow">
          {entity !== null && portrait.facts + past.length > 0 && (
            <div className="stack gap-3">
              <label className={styles.search}>
                <Search size={16} aria-hidden />
                <span className="visually-hidden">{words.search}</span>
                <input
                  type="search"
                  value={query}
                  placeholder={words.search}
                  onChange={({ target }) => setQuery(target.value)}
                />
              </label>
              {groups.length > 1 && wanted === '' && (
                <fieldset className="flow gap-6px">
                  <legend className="visually-hidden">{words.groups}</legend>
                  <Filter isOn={group === null} count={portrait.facts} onClick={() => setGroup(null)}>
                    {words.all}
                  </Filter>
                  {groups.map((each) => (
                    <Filter
                      key={keyOfGroup(each)}
                      isOn={group === keyOfGroup(each)}
                      count={each.facts.length}
                      onClick={() => setGroup(group === keyOfGroup(each) ? null : keyOfGroup(each))}
                    >
                      {each.title}
                    </Filter>
                  ))}
                </fieldset>
              )}
            </div>
          )}
          {entity !== null && portrait.facts + past.length + rejected.length + pending === 0 && (
            <Empty icon={UserRoundSearch} title={words.unknown(speakerName(entity.name))}>
              <p>{words.unknownText}</p>
            </Empty>
          )}
          {wanted !== '' && shown.length + pastShown.length === 0 && (
            <Empty icon={SearchX} title={words.noHits(wanted)} />
          )}
          <FactGroups
            groups={shown}
            rejected={wanted === '' && group === null ? rejected : []}
            scope={scope}
            actions={actions}
            query={wanted}
          />
          {pastShown.length > 0 && (
            <PastFacts
              key={wanted}
              facts={pastShown}
              scope={scope}
              actions={actions}
              query={wanted}
              isOpen={wanted !== ''}
            />
          )}
        </div>
        <ChangeFeed scope={scope} actions={actions} />
      </div>
    </>
  );
}

interface HeadProps {
  readonly portrait: Portrait;
  readonly scope: string;
  readonly isOwn: boolean;
}

function Head({ portrait, scope, isOwn }: HeadProps) {
  const words = text.memory.portrait;
  const { entity, facts, turns, since } = portrait;
  const name = speakerName(entity?.name ?? '');
  const figures = [
    facts === 1 ? words.fact : words.facts(formatNumber(facts)),
    turns === 1 ? words.turn : words.turns(formatNumber(turns)),
    ...(since === null ? [] : [words.since(formatDate(since))]),
  ];
  return (
    <header className={styles.head}>
      <Avatar name={name} isLarge />
      <div className={styles.headWords}>
        <p className={styles.question}>{isOwn ? words.question : words.questionOther(name)}</p>
        <h1>{name}</h1>
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
  );
}

/** People who are offered at once; the others are in a menu. */
const FEW_PEOPLE = 6;

interface PeopleProps {
  readonly people: Portrait['people'];
  readonly entity: string | null;
  readonly own: string | null;
  readonly onChoose: (entity: string | null) => void;
}

function People({ people, entity, own, onChoose }: PeopleProps) {
  const words = text.memory.portrait;
  if (people.length < 2) return null;
  const choose = (id: string) => onChoose(id === own ? null : id);
  const more = people.slice(FEW_PEOPLE);
  return (
    <nav className={styles.people} aria-label={words.people}>
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
            {id === own && name === plain && <span className={styles.count}>({words.you})</span>}
            <span className={styles.count}>{formatNumber(facts)}</span>
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
            <MenuItem
              key={id}
              isChecked={id === entity}
              note={facts === 1 ? words.fact : words.facts(formatNumber(facts))}
              onSelect={() => choose(id)}
            >
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
    <span className={`${styles.avatar} ${isLarge ? styles.large : ''}`} aria-hidden>
      {[...name.trim()][0]?.toUpperCase() ?? '?'}
    </span>
  );
}

interface FilterProps {
  readonly isOn: boolean;
  readonly count: number;
  readonly onClick: () => void;
  readonly children: string;
}

function Filter({ isOn, count, onClick, children }: FilterProps) {
  return (
    <button type="button" className={styles.filter} aria-pressed={isOn} title={children} onClick={onClick}>
      <span>{children}</span>
      <b>{formatNumber(count)}</b>
    </button>
  );
}

/** Memory is empty: how it fills. */
function Nothing() {
  const words = text.memory.portrait;
  return (
    <Empty icon={Brain} title={words.emptyTitle}>
      <p>{words.emptyText}</p>
      <ol className={styles.steps}>
        {words.emptySteps.map(([title, what]) => (
          <li key={title}>
            <strong>{title}</strong>
            {what}
          </li>
        ))}
      </ol>
      <div className={styles.buttons}>
        <Button kind="primary" icon={MessageSquarePlus} onClick={() => goTo('#/')}>
          {words.emptyChat}
        </Button>
        <Button icon={Import} onClick={() => goTo('#/import')}>
          {words.emptyImport}
        </Button>
      </div>
    </Empty>
  );
}

function Loading() {
  return (
    <div className={styles.column} role="status" aria-label={text.app.loading}>
      <div className={styles.bar} />
      <div className={styles.head}>
        <Skeleton height={64} width={64} />
        <div className={styles.headWords} style={{ gap: 8, width: 280 }}>
          <Skeleton height={14} width="70%" />
          <Skeleton height={28} width="50%" />
        </div>
      </div>
      <Skeleton height={180} />
    </div>
  );
}
