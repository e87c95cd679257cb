import { Ellipsis, Merge, Pencil, Split, Trash2, UserRoundSearch } from 'lucide-react';
import { Tabs } from 'radix-ui';
import { useState } from 'react';
import type { EntityPage } from '../../main/contract.ts';
import { Button, IconButton } from '../kit/button.tsx';
import { Pill, Segments } from '../kit/choice.tsx';
import { Empty, Notice, Skeleton } from '../kit/feedback.tsx';
import { Menu, MenuItem } from '../kit/menu.tsx';
import { useFactActions } from '../parts/fact/use-fact-actions.ts';
import { MemoryBar } from '../parts/place/memory-bar.tsx';
import { entityPlace, goTo, memoryPlace } from '../parts/place/places.ts';
import { speakerName } from '../parts/turn/speaker-name.ts';
import { useReply } from '../state/connection.tsx';
import { formatDate, formatNumber, text } from '../strings/text.ts';
import { EditDialog, MergeDialog, SplitDialog } from './entity-dialogs.tsx';
import { EntityHistory } from './entity-history.tsx';
import { EntityTimeline } from './entity-timeline.tsx';
import { FactList, firstFacts } from './fact-list.tsx';
import { KindDot } from './kind-dot.tsx';
import styles from './page.module.css';
import { TurnList } from './turn-list.tsx';
import { type EntityActions, useEntityActions } from './use-entity-actions.ts';
import { useFactPages } from './use-pages.ts';
import { WayUp } from './way-up.tsx';

interface Props {
  readonly scope: string;
  readonly entity: string;
}

/** The page of a person or thing: what it is, and all that memory holds about it. */
export function EntityScreen({ scope, entity }: Props) {
  const { data, error } = useReply('entityPage', { scope, entity }, { keep: true });
  // Asked for beside the head, not after it.
  useFactPages(firstFacts(scope, entity));
  return (
    <div className="scrolls">
      <div className={styles.column}>
        <MemoryBar here="browse" scope={scope} />
        {data === undefined && error === null && <Loading />}
        {error !== null && <Gone scope={scope} error={error} />}
        {data !== undefined && error === null && <Page page={data} scope={scope} />}
      </div>
    </div>
  );
}

function Gone({ scope, error }: { readonly scope: string; readonly error: Error }) {
  const words = text.browse.entity;
  if ((error as { code?: unknown }).code !== 'invalid-input')
    return <Notice kind="problem">{error.message}</Notice>;
  return (
    <Empty icon={UserRoundSearch} title={words.gone}>
      <p>{words.goneText}</p>
      <a href={memoryPlace(scope, 'browse')}>{words.toBrowse}</a>
    </Empty>
  );
}

type Asked = 'edit' | 'merge' | 'split' | { readonly merge: string };

interface PageProps {
  readonly page: EntityPage;
  readonly scope: string;
}

function Page({ page, scope }: PageProps) {
  const words = text.browse.entity;
  const [asked, setAsked] = useState<Asked | null>(null);
  const actions = useEntityActions(scope);
  const close = (shown?: string) => {
    setAsked(null);
    if (shown !== undefined && shown !== page.id) goTo(entityPlace(scope, shown));
  };
  const dialog = { scope, page, actions, onClose: close };
  return (
    <>
      <Head page={page} scope={scope} onAsk={setAsked} />
      {page.uncertain.slice(0, 3).map((other) => (
        <Uncertain
          key={other.id}
          other={other}
          page={page}
          scope={scope}
          actions={actions}
          onAsk={setAsked}
        />
      ))}
      <Tabs.Root defaultValue="facts" className={styles.tabs}>
        <Tabs.List className={styles.tabList} aria-label={words.tabs.label}>
          {(['facts', 'timeline', 'turns', 'connections', 'history'] as const).map((tab) => (
            <Tabs.Trigger key={tab} value={tab} className={styles.tab}>
              {words.tabs[tab]}
            </Tabs.Trigger>
          ))}
        </Tabs.List>
        <Tabs.Content value="facts" className={styles.tabBody}>
          <Facts page={page} scope={scope} />
        </Tabs.Content>
        <Tabs.Content value="timeline" className={styles.tabBody}>
          <EntityTimeline scope={scope} entity={page.id} />
        </Tabs.Content>
        <Tabs.Content value="turns" className={styles.tabBody}>
          <TurnList scope={scope} entity={page.id} />
        </Tabs.Content>
        <Tabs.Content value="connections" className={styles.tabBody}>
          <Connections page={page} scope={scope} />
        </Tabs.Content>
        <Tabs.Content value="history" className={styles.tabBody}>
          <EntityHistory page={page} scope={scope} actions={actions} />
        </Tabs.Content>
      </Tabs.Root>
      {asked === 'edit' && <EditDialog {...dialog} />}
      {asked === 'merge' && <MergeDialog {...dialog} />}
      {asked === 'split' && <SplitDialog {...dialog} />}
      {typeof asked === 'object' && asked !== null && <MergeDialog {...dialog} other={asked.merge} />}
    </>
  );
}

interface HeadProps extends PageProps {
  readonly onAsk: (what: Asked) => void;
}

function Head({ page, scope, onAsk }: HeadProps) {
  const words = text.browse;
  const { name, aliases, summary, tags, facts, turns, said, createdAt } = page;
  const figures = [
    words.counts.facts(facts.holds),
    ...(facts.ended > 0 ? [words.entity.ended(facts.ended)] : []),
    words.counts.turns(turns),
    said === null
      ? words.entity.met(formatDate(createdAt))
      : words.entity.saidBetween(formatDate(said[0]), formatDate(said[1])),
  ];
  return (
    <header className={styles.head}>
      <div className={styles.titleLine}>
        <h1>{speakerName(name)}</h1>
        <div className={styles.tags}>
          {tags.map((tag) => (
            <Pill key={tag}>{tag}</Pill>
          ))}
        </div>
        <div className="line gap-1">
          <Button size="small" icon={Pencil} onClick={() => onAsk('edit')}>
            {words.entity.edit}
          </Button>
          <Menu trigger={<IconButton icon={Ellipsis} label={words.entity.actions} />}>
            <MenuItem icon={Merge} onSelect={() => onAsk('merge')}>
              {words.entity.merge}
            </MenuItem>
            <MenuItem icon={Split} onSelect={() => onAsk('split')}>
              {words.entity.split}
            </MenuItem>
            <MenuItem icon={Trash2} isDangerous onSelect={() => goTo(memoryPlace(scope, 'forget'))}>
              {words.entity.forget}
            </MenuItem>
          </Menu>
        </div>
      </div>
      {aliases.length > 0 && (
        <p className={styles.faint}>
          {words.entity.also}: {aliases.join(', ')}
        </p>
      )}
      <p className={summary === '' ? styles.faint : styles.summary}>
        {summary === '' ? words.entity.noSummary : summary}
      </p>
      <p className={styles.faint}>{figures.join(' · ')}</p>
      {page.categories.slice(0, 3).map((path) => (
        <WayUp key={path[0]!.id} scope={scope} path={path} />
      ))}
    </header>
  );
}

interface UncertainProps extends HeadProps {
  readonly other: EntityPage['uncertain'][number];
  readonly actions: EntityActions;
}

function Uncertain({ other, page, scope, actions, onAsk }: UncertainProps) {
  const words = text.browse.entity;
  return (
    <Notice
      kind="warning"
      action={
        <span className="flow gap-6px keeps-size">
          <Button size="small" onClick={() => onAsk({ merge: other.id })}>
            {words.mergeThese}
          </Button>
          <Button
            size="small"
            onClick={() =>
              void actions.correct({ kind: 'keep-apart', entities: [page.id, other.id] }, words.done.apart)
            }
          >
            {words.keepApart}
          </Button>
        </span>
      }
    >
      {words.uncertain(other.name, Math.round(other.confidence * 100))}{' '}
      <a href={entityPlace(scope, other.id)}>{words.openOther}</a>
    </Notice>
  );
}

function Facts({ page, scope }: PageProps) {
  const words = text.browse.entity;
  const actions = useFactActions(scope);
  const [state, setState] = useState<'holds' | 'ended' | 'any'>('holds');
  const { holds, ended } = page.facts;
  const counts = { holds, ended, any: holds + ended };
  return (
    <>
      <Segments
        value={state}
        aria-label={words.states.label}
        options={(['holds', 'ended', 'any'] as const).map((value) => ({
          value,
          label: `${words.states[value]} (${formatNumber(counts[value])})`,
        }))}
        onChange={setState}
      />
      <FactList key={state} scope={scope} entity={page.id} state={state} actions={actions} />
    </>
  );
}

function Connections({ page, scope }: PageProps) {
  const words = text.browse.entity;
  const { categories, neighbours, merged } = page;
  return (
    <>
      <section className={styles.part} aria-label={words.categories}>
        <h2>{words.categories}</h2>
        {categories.length === 0 && <p className="soft text-14">{words.noCategories}</p>}
        {categories.map((path) => (
          <WayUp key={path[0]!.id} scope={scope} path={path} />
        ))}
      </section>
      <section className={styles.part} aria-label={words.neighbours}>
        <h2>{words.neighbours}</h2>
        {neighbours.length === 0 && <p className="soft text-14">{words.noNeighbours}</p>}
        <ul className={styles.members}>
          {neighbours.map(({ id, name, facts }) => (
            <li key={id}>
              <a href={entityPlace(scope, id)}>
                <KindDot kind="entity" />
                <span>{speakerName(name)}</span>
                <small>{text.browse.counts.facts(facts)}</small>
              </a>
            </li>
          ))}
        </ul>
      </section>
      {merged.length > 0 && (
        <section className={styles.part} aria-label={words.merged}>
          <h2>{words.merged}</h2>
          <p>{merged.map(({ name }) => name).join(', ')}</p>
        </section>
      )}
    </>
  );
}

function Loading() {
  return (
    <div role="status" aria-label={text.app.loading} className="stack gap-3">
      <Skeleton height={34} width="40%" />
      <Skeleton height={18} width="70%" />
      <Skeleton height={200} />
    </div>
  );
}
