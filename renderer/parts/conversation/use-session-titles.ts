import { useMemo } from 'react';
import { useReply } from '../../state/connection.tsx';
import { titleOf } from './title-of.ts';

/** As many as the sidebar asks for, so that both share the reply. */
const LISTED = 500;

/** Titles of the sessions of a scope, the latest first: of chats of the app, and of what was imported. */
export function useSessionTitles(scope: string): ReadonlyMap<string, string> {
  const chats = useReply('conversations', { limit: LISTED }).data?.items;
  const imported = useReply('imported', { scope, limit: LISTED }).data?.items;
  return useMemo(() => {
    const own = chats?.filter((chat) => chat.scope === scope) ?? [];
    return new Map([
      ...own.map((chat) => [chat.session ?? chat.id, titleOf(chat)] as const),
      ...(imported ?? []).flatMap(({ session, title }) => (title === '' ? [] : [[session, title] as const])),
    ]);
  }, [chats, imported, scope]);
}
