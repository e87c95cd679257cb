import { Brain, Import, MessageSquarePlus, SearchX, UserRoundSearch } from 'lucide-react';
import { useDeferredValue, useEffect, useState } from 'react';
import type { Portrait } from '../../main/contract.ts';
import { Button } from '../kit/button.tsx';
import { Empty, Loading, Notice } from '../kit/feedback.tsx';
import { useFactActions } from '../parts/fact/use-fact-actions.ts';
import { MemoryScreen } from '../parts/place/memory-screen.tsx';
import { goTo } from '../parts/place/places.ts';
import { useDefaultScope } from '../parts/place/use-places.ts';
import { speakerName } from '../parts/turn/speaker-name.ts';
import { useReply } from '../state/connection.tsx';
import { useUi } from '../state/ui.ts';
import { text } from '../strings/text.ts';
import { ChangeFeed } from './change-feed.tsx';
import { FactSections, PastFacts } from './fact-sections.tsx';
import { People, PortraitHead } from './portrait-head.tsx';
import styles from './portrait-screen.module.css';
import { PortraitSearch } from './portrait-search.tsx';
import { factsShown, sectionsShown } from './portrait-sections.ts';

/** The most facts that a section lists. */
const MOST = 200;

interface ScreenProps {
  readonly scope: string | undefined;
  /** Id of a person; default: the user. */
  readonly entity: string | undefined;
}

/** "What do you know about me?" as a page. */
export function PortraitScreen({ scope, entity }: ScreenProps) {
  const usual = useDefaultScope();
  const chosen = scope ?? usual;
  if (chosen === null) return <Loading bars={[[56], [64], [180]]} />;
  return (
    <MemoryScreen width={1240}>
      <ScopePortrait key={chosen} scope={chosen} entity={entity ?? null} />
    </MemoryScreen>
  );
}

interface PortraitProps {
  readonly scope: string;
  /** Null: of the user. */
  readonly entity: string | null;
}

function ScopePortrait({ scope, entity }: PortraitProps) {
  const [own, setOwn] = useState<string | null>(null);
  const { data, error } = useReply(
    'portrait',
    { scope, limit: MOST, ...(entity !== null && { entity }) },
    { keep: true },
  );
  const stats = useReply('stats', { scope }).data;
  const portrayed = data?.entity?.id ?? null;
  useEffect(() => useUi.getState().set({ portrayed }), [portrayed]);
  // The portrait that is shown by default is the user's.
  if (entity === null && data?.entity != null && data.entity.id !== own) setOwn(data.entity.id);
  if (error) return <Notice kind="problem">{error.message}</Notice>;
  if (data === undefined) return <Loading bars={[[64, '64px'], [28, '280px'], [180]]} />;
  if (stats !== undefined && stats.episode === 0 && data.entity === null) return <Nothing />;
  return (
    <>
      {data.entity === null ? (
        <Empty icon={UserRoundSearch} title={text.memory.portrait.nobody}>
          <p>{text.memory.portrait.nobodyText}</p>
        </Empty>
      ) : (
        <PortraitHead portrait={data} scope={scope} isOwn={data.entity.id === own} />
      )}
      <People people={data.people} entity={data.entity?.id ?? null} own={own} scope={scope} />
      <Content portrait={data} scope={scope} pending={stats?.enrichment.pending ?? 0} />
    </>
  );
}

interface ContentProps {
  readonly portrait: Portrait;
  readonly scope: string;
  /** Turns that are still to be read. */
  readonly pending: number;
}

/** The facts of a portrait, and beside them what changed. */
function Content({ portrait, scope, pending }: ContentProps) {
  const words = text.memory.portrait;
  const actions = useFactActions(scope);
  const [query, setQuery] = useState('');
  const wanted = useDeferredValue(query.trim());
  const isSearch = wanted !== '';
  const { entity, sections, past } = portrait;
  const shown = sectionsShown(sections, wanted);
  const pastShown = factsShown(past, wanted);
  const rejected = actions.rejected.filter(
    ({ line }) => !sections.some(({ facts }) => facts.some(({ id }) => id === line.id)),
  );
  const known = portrait.facts + past.length;
  const list = { scope, actions, query: wanted };
  return (
    <>
      {pending > 0 && (
        <p className="soft text-14 below-4" role="status">
          {words.reading(pending)}
        </p>
      )}
      <div className={styles.body}>
        <div className="stack gap-4 may-narrow">
          {entity !== null && known > 0 && <PortraitSearch query={query} onQuery={setQuery} />}
          {entity !== null && known + rejected.length + pending === 0 && (
            <Empty icon={UserRoundSearch} title={words.unknown(speakerName(entity.name))}>
              <p>{words.unknownText}</p>
            </Empty>
          )}
          {isSearch && shown.length + pastShown.length === 0 && (
            <Empty icon={SearchX} title={words.noHits(wanted)} />
          )}
          <FactSections sections={shown} rejected={isSearch ? [] : rejected} {...list} />
          {pastShown.length > 0 && <PastFacts key={wanted} facts={pastShown} isOpen={isSearch} {...list} />}
        </div>
        <ChangeFeed scope={scope} actions={actions} />
      </div>
    </>
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
          <li key={title} className="frame anchor text-14">
            <strong>{title}</strong>
            {what}
          </li>
        ))}
      </ol>
      <div className="flow gap-2">
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
