import { useVirtualizer } from '@tanstack/react-virtual';
import { ArrowUpRight, ChevronRight, Network } from 'lucide-react';
import { type KeyboardEvent, useId, useRef, useState } from 'react';
import type { CategoryTree } from '../../main/contract.ts';
import { Empty, Failed, Loading } from '../kit/feedback.tsx';
import { goTo, nodePlace } from '../parts/place/places.ts';
import { speakerName } from '../parts/turn/speaker-name.ts';
import { formatNumber, text } from '../strings/text.ts';
import { KindDot } from './kind-dot.tsx';
import styles from './memory-tree.module.css';
import { type NodeRow, type TreeRow, useBranches } from './use-branches.ts';

/** Height of a row in pixels, for a pointer or a finger. */
const ROW = window.matchMedia('(pointer: coarse)').matches ? 44 : 34;

interface TreeProps {
  readonly scope: string;
  readonly selected: string | null;
  readonly onSelect: (node: CategoryTree) => void;
}

/** The hierarchy as a tree. Levels are loaded when they are opened, and only rows in view are in the page. */
export function MemoryTree(props: TreeProps) {
  const words = text.browse.tree;
  const branches = useBranches(props.scope);
  const { rows, top } = branches;
  if (top.error) return <Failed onRetry={() => void top.refetch()}>{top.error.message}</Failed>;
  if (top.data === undefined)
    return <Loading bars={['70%', '85%', '60%', '75%'].map((width) => [20, width])} />;
  if (rows.length === 0)
    return (
      <Empty icon={Network} title={words.empty}>
        <p>{words.emptyText}</p>
      </Empty>
    );
  return <Rows branches={branches} {...props} />;
}

interface RowsProps extends TreeProps {
  readonly branches: ReturnType<typeof useBranches>;
}

function Rows({ branches, scope, selected, onSelect }: RowsProps) {
  const { rows, toggle, load } = branches;
  const words = text.browse.tree;
  const id = useId();
  const view = useRef<HTMLDivElement>(null);
  const [active, setActive] = useState<string | null>(null);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => view.current,
    estimateSize: () => ROW,
    getItemKey: (index) => rows[index]!.key,
    overscan: 10,
  });
  const known = rows.findIndex(({ key }) => key === active);
  const at = Math.max(0, known);
  const current = rows[at]!;
  const move = (to: number) => {
    const index = Math.max(0, Math.min(rows.length - 1, to));
    setActive(rows[index]!.key);
    virtual.scrollToIndex(index);
  };
  const act = (row: TreeRow) => (row.kind === 'node' ? onSelect(row.node) : load(row));
  const onKeyDown = (event: KeyboardEvent) => {
    const isOpen = current.kind === 'node' && current.isOpen;
    const keys: Record<string, () => void> = {
      ArrowDown: () => move(active === null ? 0 : at + 1),
      ArrowUp: () => move(at - 1),
      Home: () => move(0),
      End: () => move(rows.length - 1),
      ArrowRight: () => {
        if (isOpen) move(at + 1);
        else if (current.kind === 'node' && current.node.layer > 0) toggle(current.key, true);
      },
      ArrowLeft: () => {
        if (isOpen) toggle(current.key, false);
        else if (current.parent !== null) move(rows.findIndex(({ key }) => key === current.parent));
      },
      ' ': () => act(current),
      Enter: () => (current.kind === 'node' ? goTo(nodePlace(scope, current.node)) : load(current)),
    };
    const handle = keys[event.key];
    if (handle === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    handle();
  };
  return (
    <div
      ref={view}
      role="tree"
      aria-label={words.label}
      aria-describedby={`${id}-hint`}
      aria-activedescendant={`${id}-${current.key}`}
      tabIndex={0}
      className={styles.tree}
      onKeyDown={onKeyDown}
      onFocus={() => active === null && setActive(rows[0]!.key)}
    >
      <p id={`${id}-hint`} hidden>
        {words.hint}
      </p>
      <div role="presentation" className="anchor" style={{ height: virtual.getTotalSize() }}>
        {virtual.getVirtualItems().map(({ index, key, start }) => {
          const row = rows[index]!;
          const isNode = row.kind === 'node';
          return (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the tree has the keys
            // biome-ignore lint/a11y/useFocusableInteractive: the tree has the focus
            <div
              key={key}
              id={`${id}-${row.key}`}
              role="treeitem"
              aria-level={row.level}
              {...(isNode && ofNode(row))}
              aria-selected={isNode ? row.node.id === selected : undefined}
              className={styles.row}
              data-active={row.key === active || undefined}
              style={{ translate: `0 ${start}px`, height: ROW, paddingLeft: 8 + (row.level - 1) * 18 }}
              onClick={() => {
                setActive(row.key);
                act(row);
              }}
              onDoubleClick={() => isNode && goTo(nodePlace(scope, row.node))}
            >
              {isNode ? (
                <Node row={row} scope={scope} onToggle={() => toggle(row.key, !row.isOpen)} />
              ) : (
                <span className="accent-text">
                  {row.kind === 'more' ? words.more(row.left) : words[row.kind]}
                </span>
              )}
            </div>
          );
        })}
      </div>
    </div>
  );
}

const ofNode = ({ node, isOpen, place, siblings }: NodeRow) => ({
  'aria-setsize': siblings,
  'aria-posinset': place,
  'aria-expanded': node.layer > 0 ? isOpen : undefined,
});

interface NodeProps {
  readonly row: NodeRow;
  readonly scope: string;
  readonly onToggle: () => void;
}

function Node({ row: { node, isOpen }, scope, onToggle }: NodeProps) {
  const words = text.browse.tree;
  const name = speakerName(node.name);
  const isCategory = node.layer > 0;
  return (
    <>
      <span
        className={styles.chevron}
        data-open={isOpen || undefined}
        aria-hidden
        onClick={(event) => {
          if (!isCategory) return;
          event.stopPropagation();
          onToggle();
        }}
      >
        {isCategory && <ChevronRight size={15} />}
      </span>
      <KindDot kind={isCategory ? 'category' : 'entity'} layer={node.layer} />
      <span className="ellipsis fills" title={node.alsoIn.length > 0 ? words.also(node.alsoIn) : name}>
        {name}
      </span>
      {isCategory && <span className="soft text-13 keeps-size figures">{formatNumber(node.entities)}</span>}
      <a
        href={nodePlace(scope, node)}
        className={styles.open}
        // By keyboard, Enter on the row does the same.
        tabIndex={-1}
        aria-label={words.open(name)}
        title={words.open(name)}
        onClick={(event) => event.stopPropagation()}
      >
        <ArrowUpRight size={15} aria-hidden />
      </a>
    </>
  );
}
