import { useLocation } from 'wouter';
import type { InputOf, OutputOf } from '../../../main/contract.ts';
import { useReply } from '../../state/connection.tsx';
import { nameOfPart } from './place-part.ts';

const CONVERSATION = /^\/c\/([A-Za-z0-9_-]{1,64})/;
const SESSION = /^\/s\/([^/]+)\/([^/]+)/;

/** The conversation that the window shows, with its messages; undefined on other screens and while it is loaded. */
export function useConversationHere(): OutputOf<'conversation'> | undefined {
  const [place] = useLocation();
  const named = conversationAt(place);
  return useReply('conversation', named ?? { conversation: '-' }, { isOff: named === null }).data;
}

/** Which conversation an address shows. */
function conversationAt(place: string): InputOf<'conversation'> | null {
  const id = CONVERSATION.exec(place)?.[1];
  if (id !== undefined) return { conversation: id };
  const [, scope, session] = SESSION.exec(place) ?? [];
  if (scope === undefined || session === undefined) return null;
  return { scope: nameOfPart(scope), session: nameOfPart(session) };
}

/** The name of the scope that is used where nobody chose one. */
export function useDefaultScope(): string | null {
  const { data } = useReply('settings', {});
  const value = data?.settings.scope?.value;
  return typeof value === 'string' ? value : data === undefined ? null : 'default';
}
