import { ExternalLink, Pencil, Pin, PinOff, Trash2 } from 'lucide-react';
import { type ReactElement, type ReactNode, useState } from 'react';
import type { Conversation } from '../../../main/contract.ts';
import { Menu, MenuItem, MenuLine } from '../../kit/menu.tsx';
import { useConnection, useSend } from '../../state/connection.tsx';
import { text } from '../../strings/text.ts';
import { placeOfMessage } from './conversation-place.ts';
import { DeleteDialog } from './delete-dialog.tsx';

interface ConversationMenuProps {
  readonly conversation: Conversation;
  readonly isHere: boolean;
  readonly trigger: ReactElement;
  readonly onRename?: () => void;
  /** More entries, before the last one. */
  readonly children?: ReactNode;
}

/** What can be done with a conversation. */
export function ConversationMenu({
  conversation,
  isHere,
  trigger,
  onRename,
  children,
}: ConversationMenuProps) {
  const { id, isPinned } = conversation;
  const { openWindow } = useConnection();
  const [isDeleting, setDeleting] = useState(false);
  const save = useSaveConversation();
  return (
    <>
      <Menu trigger={trigger}>
        <MenuItem
          icon={isPinned ? PinOff : Pin}
          onSelect={() => save.mutate({ conversation: id, isPinned: !isPinned })}
        >
          {isPinned ? text.side.unpin : text.side.pin}
        </MenuItem>
        {onRename && (
          <MenuItem icon={Pencil} onSelect={onRename}>
            {text.side.rename}
          </MenuItem>
        )}
        <MenuItem icon={ExternalLink} onSelect={() => void openWindow(placeOfMessage(id))}>
          {text.side.openWindow}
        </MenuItem>
        {children}
        <MenuLine />
        <MenuItem icon={Trash2} isDangerous onSelect={() => setDeleting(true)}>
          {text.app.delete}
        </MenuItem>
      </Menu>
      {isDeleting && (
        <DeleteDialog conversation={conversation} isHere={isHere} onClose={() => setDeleting(false)} />
      )}
    </>
  );
}

export const useSaveConversation = () =>
  useSend('saveConversation', ['conversations', 'conversation', 'folders']);
