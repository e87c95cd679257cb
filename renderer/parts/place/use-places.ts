import { useLocation } from 'wouter';
import type { OutputOf } from '../../../main/contract.ts';
import { useReply } from '../../state/connection.tsx';

const CONVERSATION = /^\/c\/([A-Za-z0-9_-]{1,64})/;

/** The conversation that the window shows, with its messages; undefined on other screens and while it is loaded. */
export function useConversationHere(): OutputOf<'conversation'> | undefined {
  const [place] = useLocation();
  const id = CONVERSATION.exec(place)?.[1];
  return useReply('conversation', { conversation: id ?? '-' }, { isOff: id === undefined }).data;
}

/** The name of the scope that is used where nobody chose one. */
export function useDefaultScope(): string | null {
  const { data } = useReply('settings', {});
  const value = data?.settings.scope?.value;
  return typeof value === 'string' ? value : data === undefined ? null : 'default';
}
