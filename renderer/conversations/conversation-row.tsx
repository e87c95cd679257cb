import { Ellipsis, ExternalLink, FolderInput, Pencil, Pin, PinOff, Trash2 } from 'lucide-react';
import { useState } from 'react';
import type { Conversation, Folder } from '../../main/contract.ts';
import { IconButton } from '../kit/button.tsx';
import { Menu, MenuItem, MenuLabel, MenuLine } from '../kit/menu.tsx';
import { DeleteDialog } from '../parts/conversation/delete-dialog.tsx';
import { RenameInput } from '../parts/conversation/rename-input.tsx';
import { titleOf } from '../parts/conversation/title-of.ts';
import { useConnection, useSend } from '../state/connection.tsx';
import { text } from '../strings/text.ts';
import styles from './conversation-list.module.css';

const words = text.side;

interface RowProps {
  readonly conversation: Conversation;
  /** Whether it is listed in its project. */
  readonly isInside: boolean;
  readonly isHere: boolean;
  readonly folders: readonly Folder[];
  readonly onLeave: () => void;
}

export function ConversationRow({ conversation, isInside, isHere, folders, onLeave }: RowProps) {
  const { id, isPinned, folder, messages } = conversation;
  const title = titleOf(conversation);
  const { openWindow } = useConnection();
  const [isRenaming, setRenaming] = useState(false);
  const [isDeleting, setDeleting] = useState(false);
  const save = useSend('saveConversation', ['conversations', 'conversation', 'folders']);
  const change = (changes: object) => save.mutate({ conversation: id, ...changes });
  if (isRenaming)
    return (
      <div className={styles.link}>
        <RenameInput
          title={title}
          onDone={(renamed) => {
            setRenaming(false);
            if (renamed !== '' && renamed !== title) change({ title: renamed });
          }}
        />
      </div>
    );
  // The scope of a conversation is fixed by its first message, and a project has its own.
  const targets = messages === 0 ? folders : folders.filter(({ scope }) => scope === conversation.scope);
  return (
    <div className={`${styles.link} ${isInside ? styles.inside : ''} ${isHere ? styles.here : ''}`}>
      <a
        href={`#/c/${id}`}
        className="ellipsis fills"
        aria-current={isHere ? 'page' : undefined}
        title={title}
        onClick={onLeave}
      >
        {title}
      </a>
      <Menu trigger={<IconButton className={styles.menu!} icon={Ellipsis} label={words.actions(title)} />}>
        <MenuItem icon={isPinned ? PinOff : Pin} onSelect={() => change({ isPinned: !isPinned })}>
          {isPinned ? words.unpin : words.pin}
        </MenuItem>
        <MenuItem icon={Pencil} onSelect={() => setRenaming(true)}>
          {words.rename}
        </MenuItem>
        <MenuItem icon={ExternalLink} onSelect={() => void openWindow(`/c/${id}`)}>
          {words.openWindow}
        </MenuItem>
        {(targets.length > 0 || folder !== null) && (
          <>
            <MenuLine />
            <MenuLabel>{words.project}</MenuLabel>
            {targets.map((each) => (
              <MenuItem
                key={each.id}
                icon={FolderInput}
                isChecked={each.id === folder}
                onSelect={() => change({ folder: each.id })}
              >
                {each.name}
              </MenuItem>
            ))}
            <MenuItem onSelect={() => change({ folder: null })} isChecked={folder === null}>
              {words.noProject}
            </MenuItem>
          </>
        )}
        <MenuLine />
        <MenuItem icon={Trash2} isDangerous onSelect={() => setDeleting(true)}>
          {text.app.delete}
        </MenuItem>
      </Menu>
      {isDeleting && (
        <DeleteDialog conversation={conversation} isHere={isHere} onClose={() => setDeleting(false)} />
      )}
    </div>
  );
}
