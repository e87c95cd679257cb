import { Ellipsis, FolderInput } from 'lucide-react';
import { useState } from 'react';
import { toast } from 'sonner';
import type { Conversation, Folder } from '../../main/contract.ts';
import { IconButton } from '../kit/button.tsx';
import { MenuItem, MenuLabel, MenuLine } from '../kit/menu.tsx';
import { ConversationMenu, useSaveConversation } from '../parts/conversation/conversation-menu.tsx';
import { namedFor, placeOfConversation } from '../parts/conversation/conversation-place.ts';
import { RenameInput } from '../parts/conversation/rename-input.tsx';
import { titleOf } from '../parts/conversation/title-of.ts';
import { useMay, useSend } from '../state/connection.tsx';
import { messageOf, text } from '../strings/text.ts';
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
  const { folder, messages } = conversation;
  const title = titleOf(conversation);
  const [isRenaming, setRenaming] = useState(false);
  const save = useSaveConversation();
  const mayMove = useMay('moveConversation');
  const move = useSend('moveConversation', ['conversations', 'conversation', 'imported', 'folders']);
  const moveTo = async (target: string | null) => {
    try {
      if (conversation.session !== null) await save.mutateAsync(namedFor(conversation));
      // Before its first message, a conversation has nothing in any memory.
      if (messages === 0) change({ folder: target });
      else await move.mutateAsync({ conversation: conversation.id, folder: target });
    } catch (error) {
      toast.error(messageOf(error));
    }
  };
  const change = (changes: object) => save.mutate({ ...namedFor(conversation), ...changes });
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
  return (
    <div className={`${styles.link} ${isInside ? styles.inside : ''} ${isHere ? styles.here : ''}`}>
      <a
        href={`#${placeOfConversation(conversation)}`}
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
        {mayMove && (folders.length > 0 || folder !== null) && (
          <>
            <MenuLine />
            <MenuLabel>{words.project}</MenuLabel>
            {folders.map((each) => (
              <MenuItem
                key={each.id}
                icon={FolderInput}
                isChecked={each.id === folder}
                onSelect={() => void moveTo(each.id)}
              >
                {each.name}
              </MenuItem>
            ))}
            <MenuItem onSelect={() => void moveTo(null)} isChecked={folder === null}>
              {words.noProject}
            </MenuItem>
          </>
        )}
      </ConversationMenu>
    </div>
  );
}
