import { useVirtualizer } from '@tanstack/react-virtual';
import { ChevronRight } from 'lucide-react';
import { useEffect, useMemo, useRef, useState } from 'react';
import { useLocation } from 'wouter';
import type { Conversation, Folder, Imported, OutputOf } from '../../main/contract.ts';
import { isDraft, LISTED, placeOfSession } from '../parts/conversation/conversation-place.ts';
import { useConversationHere, useDefaultScope } from '../parts/place/use-places.ts';
import { sourceName } from '../parts/turn/source-name.ts';
import { useClient, useReply } from '../state/connection.tsx';
import { usePages } from '../state/use-pages.ts';
import { DAY, formatNumber, text } from '../strings/text.ts';
import styles from './conversation-list.module.css';
import { ConversationRow } from './conversation-row.tsx';
import { FolderRow } from './folder-row.tsx';

const words = text.side;

/** More than a list can show are found by the search. */
const MOST = LISTED;
/** Imported conversations that are asked for at once. */
const PER_PAGE = 100;

type Row =
  | { readonly kind: 'heading'; readonly id: string; readonly title: string }
  | { readonly kind: 'folder'; readonly id: string; readonly folder: Folder }
  | {
      readonly kind: 'conversation';
      readonly id: string;
      readonly conversation: Conversation;
      readonly isInside: boolean;
    }
  | { readonly kind: 'source'; readonly id: string; readonly source: string; readonly sessions: number }
  | { readonly kind: 'imported'; readonly id: string; readonly imported: Imported }
  | { readonly kind: 'more'; readonly id: 'more' };

/** Projects with their conversations, then the others by time. Only the rows in view are in the page. */
export function ConversationList({ onLeave }: { readonly onLeave: () => void }) {
  const { data } = useReply('conversations', { limit: MOST });
  const folders = useReply('folders', {}).data?.items;
  const imports = useImports();
  const rows = useMemo(
    () => [...rowsOf(data?.items.filter(({ id }) => !isDraft(id)) ?? [], folders ?? []), ...imports.rows],
    [data, folders, imports.rows],
  );
  const [place] = useLocation();
  const view = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => view.current,
    estimateSize: (index) => (rows[index]!.kind === 'heading' ? 32 : 36),
    getItemKey: (index) => rows[index]!.id,
    overscan: 12,
  });
  const items = virtual.getVirtualItems();
  const isAtMore = items.some(({ index }) => rows[index]?.kind === 'more');
  useEffect(() => {
    if (isAtMore) imports.more();
  });
  return (
    <div className={styles.list} ref={view}>
      {data !== undefined && rows.length === 0 && <p className={styles.empty}>{words.empty}</p>}
      <ul style={{ height: virtual.getTotalSize(), position: 'relative' }}>
        {items.map(({ index, key, start }) => {
          const row = rows[index]!;
          return (
            <li
              key={key}
              data-index={index}
              ref={virtual.measureElement}
              className={styles.row}
              style={{ translate: `0 ${start}px` }}
            >
              {row.kind === 'heading' && <h3 className={styles.heading}>{row.title}</h3>}
              {row.kind === 'folder' && <FolderRow folder={row.folder} onLeave={onLeave} />}
              {row.kind === 'conversation' && (
                <ConversationRow
                  conversation={row.conversation}
                  isInside={row.isInside}
                  isHere={
                    place === `/c/${row.conversation.id}` || place.startsWith(`/c/${row.conversation.id}/`)
                  }
                  folders={folders ?? []}
                  onLeave={onLeave}
                />
              )}
              {row.kind === 'source' && (
                <button
                  type="button"
                  className={styles.source}
                  aria-expanded={imports.open === row.source}
                  onClick={() => imports.toggle(row.source)}
                >
                  <ChevronRight size={15} className="faint" aria-hidden />
                  <span className="ellipsis fills">{sourceName(row.source)}</span>
                  <small className="soft">{formatNumber(row.sessions)}</small>
                </button>
              )}
              {row.kind === 'imported' && (
                <ConversationRow
                  conversation={asConversation(row.imported)}
                  isInside
                  isHere={`${place}/`.startsWith(
                    `${placeOfSession(row.imported.scope, row.imported.session)}/`,
                  )}
                  folders={folders ?? []}
                  onLeave={onLeave}
                />
              )}
              {row.kind === 'more' && <p className={styles.empty}>{words.more}</p>}
            </li>
          );
        })}
      </ul>
    </div>
  );
}

/** Remembered by the window: which source is unfolded; the empty text for none. */
const OPEN_SOURCE = 'mnemis.open-source';

/**
 * Conversations that memory took from elsewhere, by source and year. One source is unfolded at a time, and its list is
 * loaded as far as one scrolls.
 */
function useImports() {
  const client = useClient();
  const usual = useDefaultScope();
  const scope = useConversationHere()?.conversation.scope ?? usual ?? '';
  const [chosen, setChosen] = useState(() => localStorage.getItem(OPEN_SOURCE));
  const sources = useReply('imported', { scope, limit: 1 }, { isOff: scope === '', keep: true }).data
    ?.sources;
  // A single source has nothing to choose from.
  const open = chosen ?? (sources?.length === 1 ? sources[0]!.source : '');
  const { pages, hasMore, more } = usePages<Pick<OutputOf<'imported'>, 'items' | 'next'>>(
    ['imported', 'list', scope, open],
    (after, options) =>
      scope === '' || open === ''
        ? Promise.resolve({ items: [], next: null })
        : client.imported(
            { scope, source: open, limit: PER_PAGE, ...(after !== null && { after: String(after) }) },
            options,
          ),
  );
  const rows = useMemo(() => {
    const items = pages.flatMap((page) => page.items);
    const years = groupBy(items, ({ to }) => String(new Date(to).getFullYear()));
    const listed = [...years].flatMap(([year, each]): Row[] => [
      heading(year),
      ...each.map((imported): Row => ({ kind: 'imported', id: imported.conversation, imported })),
    ]);
    return (sources ?? []).flatMap(({ source, sessions }, at): Row[] => [
      ...(at === 0 ? [heading(words.imported)] : []),
      { kind: 'source', id: `source ${source}`, source, sessions },
      ...(source === open ? [...listed, ...(hasMore ? [{ kind: 'more', id: 'more' } as const] : [])] : []),
    ]);
  }, [sources, pages, open, hasMore]);
  const toggle = (source: string) => {
    const next = source === open ? '' : source;
    localStorage.setItem(OPEN_SOURCE, next);
    setChosen(next);
  };
  return { rows, open, toggle, more };
}

/** As the row of a conversation that nothing was done with shows it. */
function asConversation({ conversation: id, scope, session, title, from, to }: Imported): Conversation {
  const times = { createdAt: from, updatedAt: to };
  return {
    id,
    scope,
    session,
    title,
    ...times,
    folder: null,
    isPinned: false,
    messages: 1,
    draft: '',
    leaf: null,
    isPrivate: false,
  };
}

function rowsOf(conversations: readonly Conversation[], folders: readonly Folder[]): readonly Row[] {
  const inside = (folder: Folder) =>
    conversations
      .filter((each) => each.folder === folder.id)
      .map((conversation) => rowOf(conversation, true));
  const projects: Row[] = folders.flatMap((folder) => [
    { kind: 'folder' as const, id: folder.id, folder },
    ...inside(folder),
  ]);
  const known = new Set(folders.map(({ id }) => id));
  const others = conversations.filter(({ folder }) => folder === null || !known.has(folder));
  const groups = groupBy(others, groupOf);
  return [
    ...(projects.length > 0 ? [heading(words.projects)] : []),
    ...projects,
    ...[...groups].flatMap(([title, items]) => [
      heading(title),
      ...items.map((conversation) => rowOf(conversation, false)),
    ]),
  ];
}

const rowOf = (conversation: Conversation, isInside: boolean): Row => ({
  kind: 'conversation',
  id: conversation.id,
  conversation,
  isInside,
});
const heading = (title: string): Row => ({ kind: 'heading', id: `heading ${title}`, title });

function groupOf({ isPinned, updatedAt }: Conversation): string {
  if (isPinned) return words.pinned;
  const today = new Date().setHours(0, 0, 0, 0);
  if (updatedAt >= today) return words.today;
  if (updatedAt >= today - DAY) return words.yesterday;
  if (updatedAt >= today - 7 * DAY) return words.week;
  return updatedAt >= today - 30 * DAY ? words.month : words.older;
}

function groupBy<T>(items: readonly T[], keyOf: (item: T) => string): ReadonlyMap<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item]);
  return groups;
}
