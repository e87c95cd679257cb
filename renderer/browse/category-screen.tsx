import { FolderTree } from 'lucide-react';
import { useState } from 'react';
import type { CategoryPage } from '../../main/contract.ts';
import { MoreButton } from '../kit/button.tsx';
import { useFactActions } from '../parts/fact/use-fact-actions.ts';
import { useReply } from '../state/connection.tsx';
import { text } from '../strings/text.ts';
import { FactList } from './fact-list.tsx';
import styles from './page.module.css';
import { Aliases, NodeLinks, NodeScreen, Part, Title, WaysUp } from './page-parts.tsx';

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
  const actions = useFactActions(scope);
  const gone = { icon: FolderTree, title: words.gone, about: words.goneText };
  return (
    <NodeScreen scope={scope} data={data} error={error} gone={gone}>
      {(page) => (
        <>
          <Head page={page} scope={scope} />
          <Part title={words.members}>
            <NodeLinks scope={scope} nodes={page.children.map(memberOf)} />
            <MoreButton isShown={page.more > 0 && limit < MOST} onClick={() => setLimit(MOST)}>
              {words.moreMembers(Math.min(page.more, MOST - FEW))}
            </MoreButton>
            {page.more > 0 && limit === MOST && !isPlaceholderData && (
              <p className="faint text-14 may-break">{words.notListed(page.more)}</p>
            )}
          </Part>
          <Part title={words.facts}>
            <FactList scope={scope} category={page.id} actions={actions} />
          </Part>
        </>
      )}
    </NodeScreen>
  );
}

function memberOf({ id, name, layer, size }: CategoryPage['children'][number]) {
  const { entities, facts } = text.browse.counts;
  return { id, name, layer, note: layer > 0 ? entities(size) : facts(size) };
}

function Head({ page, scope }: { readonly page: CategoryPage; readonly scope: string }) {
  const { name, aliases, summary, tags, layer, paths, entities, staleSince } = page;
  const words = text.browse.category;
  return (
    <header className={styles.head}>
      <WaysUp scope={scope} paths={paths.slice(0, 3)} />
      <Title name={name} tags={tags} layer={layer} />
      <Aliases aliases={aliases} />
      {summary !== '' && <p className={styles.summary}>{summary}</p>}
      <p className="faint text-14">
        {text.browse.layer(layer)} · {words.below(entities)}
      </p>
      {staleSince !== null && <p className="faint text-14">{words.stale}</p>}
    </header>
  );
}
