import { useVirtualizer } from '@tanstack/react-virtual';
import { useMemo, useRef } from 'react';
import { useLocation } from 'wouter';
import type { Conversation, Folder } from '../../main/contract.ts';
import { isDraft, LISTED } from '../parts/conversation/conversation-place.ts';
import { useReply } from '../state/connection.tsx';
import { DAY, text } from '../strings/text.ts';
import styles from './conversation-list.module.css';
import { ConversationRow } from './conversation-row.tsx';
import { FolderRow } from './folder-row.tsx';

const words = text.side;

/** More than a list can show are found by the search. */
const MOST = LISTED;

type Row =
  | { readonly kind: 'heading'; readonly id: string; readonly title: string }
  | { readonly kind: 'folder'; readonly id: string; readonly folder: Folder }
  | {
      readonly kind: 'conversation';
      readonly id: string;
      readonly conversation: Conversation;
      readonly isInside: boolean;
    };

/** Projects with their conversations, then the others by time. Only the rows in view are in the page. */
export function ConversationList({ onLeave }: { readonly onLeave: () => void }) {
  const { data } = useReply('conversations', { limit: MOST });
  const folders = useReply('folders', {}).data?.items;
  const rows = useMemo(
    () => rowsOf(data?.items.filter(({ id }) => !isDraft(id)) ?? [], folders ?? []),
    [data, folders],
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
  return (
    <div className={styles.list} ref={view}>
      {data !== undefined && rows.length === 0 && <p className={styles.empty}>{words.empty}</p>}
      <ul style={{ height: virtual.getTotalSize(), position: 'relative' }}>
        {virtual.getVirtualItems().map(({ index, key, start }) => {
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
            </li>
          );
        })}
      </ul>
    </div>
  );
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
