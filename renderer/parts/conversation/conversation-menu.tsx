import { Download, ExternalLink, Pencil, Pin, PinOff, Trash2 } from 'lucide-react';
import { type ReactElement, type ReactNode, useState } from 'react';
import { toast } from 'sonner';
import type { Conversation } from '../../../main/contract.ts';
import { Menu, MenuItem, MenuLine } from '../../kit/menu.tsx';
import { useClient, useConnection, useSend } from '../../state/connection.tsx';
import { messageOf, text } from '../../strings/text.ts';
import { namedFor, placeOfConversation } from './conversation-place.ts';
import { DeleteDialog } from './delete-dialog.tsx';
import { saveFile } from './save-file.ts';
import { titleOf } from './title-of.ts';

interface ConversationMenuProps {
  readonly conversation: Conversation;
  readonly isHere: boolean;
  readonly trigger: ReactElement;
  readonly onRename?: () => void;
  /** More entries, before the last one. */
  readonly children?: ReactNode;
}

const FORMATS = ['markdown', 'json'] as const;

/** What can be done with a conversation. */
export function ConversationMenu({
  conversation,
  isHere,
  trigger,
  onRename,
  children,
}: ConversationMenuProps) {
  const { isPinned, session } = conversation;
  const { openWindow, remote } = useConnection();
  const [isDeleting, setDeleting] = useState(false);
  const save = useSaveConversation();
  const client = useClient();
  const download = async (format: (typeof FORMATS)[number]) => {
    try {
      const named = namedFor(conversation);
      // One that was imported is stored in the app from then on.
      if (session !== null) await client.saveConversation(named);
      const parts: string[] = [];
      for await (const event of client.exportConversation({ conversation: named.conversation, format }))
        if (event.type === 'text') parts.push(event.text);
      const name = titleOf(conversation)
        .replace(/[^\p{L}\p{N}._-]+/gu, '-')
        .slice(0, 60);
      const [type, ending] = format === 'json' ? ['application/json', 'json'] : ['text/markdown', 'md'];
      saveFile(new Blob(parts, { type }), `${name}.${ending}`);
    } catch (error) {
      toast.error(messageOf(error));
    }
  };
  return (
    <>
      <Menu trigger={trigger}>
        <MenuItem
          icon={isPinned ? PinOff : Pin}
          onSelect={() => save.mutate({ ...namedFor(conversation), isPinned: !isPinned })}
        >
          {isPinned ? text.side.unpin : text.side.pin}
        </MenuItem>
        {onRename && (
          <MenuItem icon={Pencil} onSelect={onRename}>
            {text.side.rename}
          </MenuItem>
        )}
        {remote === null && (
          <MenuItem icon={ExternalLink} onSelect={() => void openWindow(placeOfConversation(conversation))}>
            {text.side.openWindow}
          </MenuItem>
        )}
        {children}
        <MenuLine />
        {FORMATS.map((format) => (
          <MenuItem key={format} icon={Download} onSelect={() => void download(format)}>
            {text.side.exportAs[format]}
          </MenuItem>
        ))}
        <MenuLine />
        <MenuItem icon={Trash2} isDangerous onSelect={() => setDeleting(true)}>
          {session === null ? text.app.delete : text.side.forgetImported}
        </MenuItem>
      </Menu>
      {isDeleting && (
        <DeleteDialog conversation={conversation} isHere={isHere} onClose={() => setDeleting(false)} />
      )}
    </>
  );
}

export const useSaveConversation = () =>
  useSend('saveConversation', ['conversations', 'conversation', 'imported', 'folders']);
