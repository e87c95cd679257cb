import { Ellipsis, FolderInput } from 'lucide-react';
import { useState } from 'react';
import type { Conversation, Folder } from '../../main/contract.ts';
import { IconButton } from '../kit/button.tsx';
import { MenuItem, MenuLabel, MenuLine } from '../kit/menu.tsx';
import { ConversationMenu, useSaveConversation } from '../parts/conversation/conversation-menu.tsx';
import { RenameInput } from '../parts/conversation/rename-input.tsx';
import { titleOf } from '../parts/conversation/title-of.ts';
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
  const { id, folder, messages } = conversation;
  const title = titleOf(conversation);
  const [isRenaming, setRenaming] = useState(false);
  const save = useSaveConversation();
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
      <ConversationMenu
        conversation={conversation}
        isHere={isHere}
        trigger={<IconButton className={styles.menu!} icon={Ellipsis} label={words.actions(title)} />}
        onRename={() => setRenaming(true)}
      >
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
      </ConversationMenu>
    </div>
  );
}
