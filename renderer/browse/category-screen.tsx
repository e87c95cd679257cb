import { FolderTree } from 'lucide-react';
import { useState } from 'react';
import type { CategoryPage } from '../../main/contract.ts';
import { Button } from '../kit/button.tsx';
import { Pill } from '../kit/choice.tsx';
import { Empty, Notice, Skeleton } from '../kit/feedback.tsx';
import { useFactActions } from '../parts/fact/use-fact-actions.ts';
import { MemoryBar } from '../parts/place/memory-bar.tsx';
import { memoryPlace, nodePlace } from '../parts/place/places.ts';
import { speakerName } from '../parts/turn/speaker-name.ts';
import { useReply } from '../state/connection.tsx';
import { text } from '../strings/text.ts';
import { FactList } from './fact-list.tsx';
import { KindDot } from './kind-dot.tsx';
import styles from './page.module.css';
import { WayUp } from './way-up.tsx';

interface Props {
  readonly scope: string;
  readonly category: string;
}

/** Members at first, and at most. */
const [FEW, MOST] = [24, 500];

/** The page of a category: what it is about, its members, and the latest facts below it. */
export function CategoryScreen({ scope, category }: Props) {
  const words = text.browse.category;
  const [limit, setLimit] = useState(FEW);
  const { data, error, isPlaceholderData } = useReply(
    'categoryPage',
    { scope, category, limit },
    { keep: true },
  );
  return (
    <div className="scrolls">
      <div className={styles.column}>
        <MemoryBar here="browse" scope={scope} />
        {error !== null && (error as { code?: unknown }).code === 'invalid-input' && (
          <Empty icon={FolderTree} title={words.gone}>
            <p>{words.goneText}</p>
            <a href={memoryPlace(scope, 'browse')}>{text.browse.entity.toBrowse}</a>
          </Empty>
        )}
        {error !== null && (error as { code?: unknown }).code !== 'invalid-input' && (
          <Notice kind="problem">{error.message}</Notice>
        )}
        {data === undefined && error === null && (
          <div role="status" aria-label={text.app.loading} className="stack gap-3">
            <Skeleton height={34} width="40%" />
            <Skeleton height={120} />
          </div>
        )}
        {data !== undefined && error === null && (
          <Page
            page={data}
            scope={scope}
            onMore={() => setLimit(MOST)}
            canShowMore={limit < MOST}
            isLoading={isPlaceholderData}
          />
        )}
      </div>
    </div>
  );
}

interface PageProps {
  readonly page: CategoryPage;
  readonly scope: string;
  readonly canShowMore: boolean;
  /** Whether more members are on their way. */
  readonly isLoading: boolean;
  readonly onMore: () => void;
}

function Page({ page, scope, canShowMore, isLoading, onMore }: PageProps) {
  const words = text.browse.category;
  const actions = useFactActions(scope);
  const { name, aliases, summary, tags, layer, paths, children, more, entities, staleSince } = page;
  return (
    <>
      <header className={styles.head}>
        {paths.slice(0, 3).map((path) => (
          <WayUp key={path[0]!.id} scope={scope} path={path} />
        ))}
        <div className={styles.titleLine}>
          <KindDot kind="category" layer={layer} />
          <h1>{name}</h1>
          <div className={styles.tags}>
            {tags.map((tag) => (
              <Pill key={tag}>{tag}</Pill>
            ))}
          </div>
        </div>
        {aliases.length > 0 && (
          <p className={styles.faint}>
            {text.browse.entity.also}: {aliases.join(', ')}
          </p>
        )}
        {summary !== '' && <p className={styles.summary}>{summary}</p>}
        <p className={styles.faint}>
          {text.browse.layer(layer)} · {words.below(entities)}
        </p>
        {staleSince !== null && <p className={styles.faint}>{words.stale}</p>}
      </header>
      <section className={styles.part} aria-label={words.members}>
        <h2>{words.members}</h2>
        <ul className={styles.members}>
          {children.map((member) => (
            <li key={member.id}>
              <a href={nodePlace(scope, member)}>
                <KindDot kind={member.layer > 0 ? 'category' : 'entity'} layer={member.layer} />
                <span>{speakerName(member.name)}</span>
                <small>
                  {member.layer > 0
                    ? text.browse.counts.entities(member.size)
                    : text.browse.counts.facts(member.size)}
                </small>
              </a>
            </li>
          ))}
        </ul>
        {more > 0 && canShowMore && (
          <Button kind="quiet" size="small" onClick={onMore}>
            {words.moreMembers(Math.min(more, MOST - FEW))}
          </Button>
        )}
        {more > 0 && !canShowMore && !isLoading && <p className={styles.faint}>{words.notListed(more)}</p>}
      </section>
      <section className={styles.part} aria-label={words.facts}>
        <h2>{words.facts}</h2>
        <FactList scope={scope} category={page.id} actions={actions} />
      </section>
    </>
  );
}
