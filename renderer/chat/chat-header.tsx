import { Brain, Ellipsis, Folder as FolderIcon, Lock, PanelLeft, Pencil } from 'lucide-react';
import { useState } from 'react';
import type { Conversation, Imported } from '../../main/contract.ts';
import { IconButton } from '../kit/button.tsx';
import { ConversationMenu, useSaveConversation } from '../parts/conversation/conversation-menu.tsx';
import { namedFor } from '../parts/conversation/conversation-place.ts';
import { RenameInput } from '../parts/conversation/rename-input.tsx';
import { titleOf } from '../parts/conversation/title-of.ts';
import { memoryPlace } from '../parts/place/places.ts';
import { SHORTCUTS, shownKeys } from '../parts/place/shortcuts.ts';
import { useDefaultScope } from '../parts/place/use-places.ts';
import { sourceName } from '../parts/turn/source-name.ts';
import { useReply } from '../state/connection.tsx';
import { useUi } from '../state/ui.ts';
import { formatDate, text } from '../strings/text.ts';
import styles from './chat-screen.module.css';

const words = text.chat;

/** The bar above a chat; without a conversation it holds only the way to the sidebar. */
export function ChatHeader({
  conversation,
  imported = null,
  isPrivate,
}: {
  readonly conversation: Conversation | null;
  /** What it continues. */
  readonly imported?: Imported | null;
  readonly isPrivate: boolean;
}) {
  const isSideOpen = useUi((ui) => ui.isSideOpen);
  const set = useUi((ui) => ui.set);
  return (
    <header className={styles.header}>
      {!isSideOpen && (
        <IconButton
          icon={PanelLeft}
          label={words.openSide}
          keys={shownKeys(SHORTCUTS.side.keys)}
          onClick={() => set({ isSideOpen: true })}
        />
      )}
      {conversation !== null && <Title conversation={conversation} />}
      {imported !== null && (
        <span
          className="tag soft text-12 medium keeps-size"
          title={words.imported(imported.turns, formatDate(imported.from), formatDate(imported.to))}
        >
          {sourceName(imported.source)}
        </span>
      )}
      {isPrivate && conversation !== null && (
        <span className="tag private text-12 medium keeps-size">
          <Lock size={12} aria-hidden />
          {words.privateBadge}
        </span>
      )}
      <span className="grows" />
      {conversation !== null && (
        <ConversationMenu
          conversation={conversation}
          isHere
          trigger={<IconButton icon={Ellipsis} label={words.actions} />}
        />
      )}
    </header>
  );
}

function Title({ conversation }: { readonly conversation: Conversation }) {
  const { folder, scope } = conversation;
  const usual = useDefaultScope();
  const title = titleOf(conversation);
  const [isRenaming, setRenaming] = useState(false);
  const folders = useReply('folders', {}).data?.items;
  const project = folders?.find((each) => each.id === folder);
  const save = useSaveConversation();
  return (
    <>
      {project !== undefined && (
        <a className={styles.project} href={memoryPlace(project.scope)} title={project.name}>
          <FolderIcon size={15} aria-hidden />
          <span className="ellipsis">{project.name}</span>
        </a>
      )}
      {folder === null && usual !== null && scope !== usual && (
        <a className={styles.project} href={memoryPlace(scope)} title={words.ownMemory(scope)}>
          <Brain size={15} aria-hidden />
          <span className="ellipsis">{scope}</span>
        </a>
      )}
      {isRenaming ? (
        <div className={styles.renaming}>
          <RenameInput
            title={title}
            onDone={(renamed) => {
              setRenaming(false);
              if (renamed !== '' && renamed !== title)
                save.mutate({ ...namedFor(conversation), title: renamed });
            }}
          />
        </div>
      ) : (
        <h1 className={styles.title}>
          <button
            type="button"
            className="line gap-7px most-width hovers rounded-6"
            title={words.rename}
            onClick={() => setRenaming(true)}
          >
            <span className="ellipsis">{title}</span>
            <Pencil size={13} aria-hidden />
          </button>
        </h1>
      )}
    </>
  );
}
