import { ListTree, Waypoints } from 'lucide-react';
import { useCallback, useState, useSyncExternalStore } from 'react';
import type { CategoryTree, GraphNode, KnownName } from '../../main/contract.ts';
import { Segments } from '../kit/choice.tsx';
import { text } from '../strings/text.ts';
import styles from './browse-screen.module.css';
import { GraphPanel } from './graph-panel.tsx';
import { MemoryTree } from './memory-tree.tsx';
import { NameBox } from './name-box.tsx';

interface BrowseProps {
  readonly scope: string;
  /** Id of what the graph is around; null: all of memory. */
  readonly node: string | null;
}

/** The hierarchy as a tree beside memory as a graph; in a narrow window one of them. */
export function BrowseScreen({ scope, node }: BrowseProps) {
  const words = text.browse;
  const isWide = useWide();
  const [view, setView] = useState<'tree' | 'graph'>(node === null ? 'tree' : 'graph');
  const [selected, setSelected] = useState<GraphNode | null>(null);
  const [moves, setMoves] = useState(0);
  const show = useCallback((node: GraphNode) => {
    setSelected(node);
    setMoves((before) => before + 1);
  }, []);
  const choose = ({ kind, id, name, layer, size }: KnownName) => {
    show({ id, kind, name, layer, size });
    setView('graph');
  };
  const select = ({ id, name, layer, entities }: CategoryTree) => {
    show({ id, kind: layer > 0 ? 'category' : 'entity', name, layer, size: entities });
    if (!isWide) setView('graph');
  };
  return (
    <div className={styles.screen}>
      <h1 className="visually-hidden">{words.title}</h1>
      <div className={styles.body}>
        <div className={styles.left} data-is-hidden={!isWide && view !== 'tree' ? 'true' : undefined}>
          <NameBox scope={scope} label={words.names.placeholder} onChoose={choose} />
          {!isWide && (
            <Segments
              value={view}
              aria-label={words.views.label}
              options={[
                { value: 'tree', label: words.views.tree, icon: ListTree },
                { value: 'graph', label: words.views.graph, icon: Waypoints },
              ]}
              onChange={setView}
            />
          )}
          {(isWide || view === 'tree') && (
            <MemoryTree scope={scope} selected={selected?.id ?? null} onSelect={select} />
          )}
        </div>
        {(isWide || view === 'graph') && (
          <GraphPanel scope={scope} centre={node} selected={selected} moves={moves} onSelect={setSelected} />
        )}
      </div>
    </div>
  );
}

const wide = window.matchMedia('(min-width: 900px)');
const follow = (changed: () => void) => {
  wide.addEventListener('change', changed);
  return () => wide.removeEventListener('change', changed);
};
const useWide = () => useSyncExternalStore(follow, () => wide.matches);
