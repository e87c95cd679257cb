import { useVirtualizer } from '@tanstack/react-virtual';
import { ArrowUpRight, ChevronRight, Network } from 'lucide-react';
import { type KeyboardEvent, useId, useRef, useState } from 'react';
import type { CategoryTree } from '../../main/contract.ts';
import { Button } from '../kit/button.tsx';
import { Empty, Notice, Skeleton } from '../kit/feedback.tsx';
import { goTo, nodePlace } from '../parts/place/places.ts';
import { speakerName } from '../parts/turn/speaker-name.ts';
import { formatNumber, text } from '../strings/text.ts';
import { KindDot } from './kind-dot.tsx';
import styles from './memory-tree.module.css';
import { LEVEL, type TreeRow, useBranches } from './use-branches.ts';

interface TreeProps {
  readonly scope: string;
  readonly selected: string | null;
  readonly onSelect: (node: CategoryTree) => void;
}

/** The hierarchy as a tree. Levels are loaded when they are opened, and only rows in view are in the page. */
export function MemoryTree({ scope, selected, onSelect }: TreeProps) {
  const words = text.browse.tree;
  const id = useId();
  const view = useRef<HTMLDivElement>(null);
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  const [shown, setShown] = useState<ReadonlyMap<string, number>>(new Map());
  const [active, setActive] = useState<string | null>(null);
  const { rows, top, retry } = useBranches({ scope, open, shown });
  const at = Math.max(
    0,
    rows.findIndex(({ key }) => key === active),
  );
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => view.current,
    estimateSize: () => 34,
    getItemKey: (index) => rows[index]!.key,
    overscan: 10,
  });
  const toggle = (key: string, isOpen: boolean) => {
    const next = new Set(open);
    if (isOpen) next.add(key);
    else next.delete(key);
    setOpen(next);
  };
  const move = (to: number) => {
    const row = rows[Math.max(0, Math.min(rows.length - 1, to))];
    if (row === undefined) return;
    setActive(row.key);
    virtual.scrollToIndex(rows.indexOf(row));
  };
  const showMore = ({ parent, left }: { readonly parent: string | null; readonly left: number }) => {
    const level = parent ?? '';
    setShown(new Map(shown).set(level, (shown.get(level) ?? LEVEL) + Math.min(left, 2 * LEVEL)));
  };
  const act = (row: TreeRow) => {
    if (row.kind === 'more') showMore(row);
    else if (row.kind === 'node') onSelect(row.node);
    else if (row.kind === 'problem' && row.parent !== null) retry(row.parent);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const row = rows[at];
    const isNode = row?.kind === 'node';
    const keys: Record<string, () => void> = {
      ArrowDown: () => move(active === null ? 0 : at + 1),
      ArrowUp: () => move(at - 1),
      Home: () => move(0),
      End: () => move(rows.length - 1),
      ArrowRight: () => {
        if (!isNode || row.node.layer === 0) return;
        if (row.isOpen) move(at + 1);
        else toggle(row.key, true);
      },
      ArrowLeft: () => {
        if (isNode && row.isOpen) toggle(row.key, false);
        else if (row?.parent != null) move(rows.findIndex(({ key }) => key === row.parent));
      },
      ' ': () => row && act(row),
      Enter: () => {
        if (isNode) goTo(nodePlace(scope, row.node));
        else if (row) act(row);
      },
    };
    const handle = keys[event.key];
    if (handle === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    handle();
  };
  if (top.error)
    return (
      <Notice
        kind="problem"
        action={
          <Button size="small" onClick={() => void top.refetch()}>
            {text.app.retry}
          </Button>
        }
      >
        {top.error.message}
      </Notice>
    );
  if (top.data === undefined)
    return (
      <div role="status" aria-label={text.app.loading} className={styles.loading}>
        {[70, 85, 60, 75].map((width) => (
          <Skeleton key={width} height={20} width={`${width}%`} />
        ))}
      </div>
    );
  if (rows.length === 0)
    return (
      <Empty icon={Network} title={words.empty}>
        <p>{words.emptyText}</p>
      </Empty>
    );
  const current = rows[at];
  return (
    <div
      ref={view}
      role="tree"
      aria-label={words.label}
      aria-describedby={`${id}-hint`}
      aria-activedescendant={current && `${id}-${current.key}`}
      tabIndex={0}
      className={styles.tree}
      onKeyDown={onKeyDown}
      onFocus={() => active === null && rows[0] && setActive(rows[0].key)}
    >
      <p id={`${id}-hint`} hidden>
        {words.hint}
      </p>
      <div role="presentation" style={{ height: virtual.getTotalSize(), position: 'relative' }}>
        {virtual.getVirtualItems().map(({ index, key, start }) => {
          const row = rows[index]!;
          return (
            <Row
              key={key}
              id={`${id}-${row.key}`}
              row={row}
              scope={scope}
              start={start}
              isActive={row.key === active}
              isSelected={row.kind === 'node' && row.node.id === selected}
              onToggle={toggle}
              onAct={() => {
                setActive(row.key);
                act(row);
              }}
            />
          );
        })}
      </div>
    </div>
  );
}

interface RowProps {
  readonly id: string;
  readonly row: TreeRow;
  readonly scope: string;
  readonly start: number;
  readonly isActive: boolean;
  readonly isSelected: boolean;
  readonly onToggle: (key: string, isOpen: boolean) => void;
  readonly onAct: () => void;
}

function Row({ id, row, scope, start, isActive, isSelected, onToggle, onAct }: RowProps) {
  const words = text.browse.tree;
  const place = { translate: `0 ${start}px`, paddingLeft: 8 + (row.level - 1) * 18 };
  if (row.kind !== 'node')
    return (
      // biome-ignore lint/a11y/useKeyWithClickEvents: the tree has the keys
      // biome-ignore lint/a11y/useFocusableInteractive: the tree has the focus
      <div
        id={id}
        role="treeitem"
        aria-level={row.level}
        className={`${styles.row} ${styles.more}`}
        data-active={isActive || undefined}
        style={place}
        onClick={onAct}
      >
        {row.kind === 'more' ? words.more(row.left) : row.kind === 'loading' ? words.loading : words.problem}
      </div>
    );
  const { node, isOpen } = row;
  const name = speakerName(node.name);
  const isCategory = node.layer > 0;
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the tree has the keys
    // biome-ignore lint/a11y/useFocusableInteractive: the tree has the focus
    <div
      id={id}
      role="treeitem"
      aria-level={row.level}
      aria-setsize={row.siblings}
      aria-posinset={row.place}
      aria-expanded={isCategory ? isOpen : undefined}
      aria-selected={isSelected}
      className={styles.row}
      data-active={isActive || undefined}
      style={place}
      onClick={onAct}
      onDoubleClick={() => goTo(nodePlace(scope, node))}
    >
      {isCategory ? (
        <span
          className={styles.chevron}
          data-open={isOpen || undefined}
          aria-hidden
          onClick={(event) => {
            event.stopPropagation();
            onToggle(row.key, !isOpen);
          }}
        >
          <ChevronRight size={15} />
        </span>
      ) : (
        <span className={styles.chevron} aria-hidden />
      )}
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
    </div>
  );
}
