import type { Conversation } from '../../../main/contract.ts';
import { placePart } from '../place/place-part.ts';

/** The place of a conversation in the app, and in it of a message. */
export function placeOfMessage(conversation: string, message?: string): string {
  return message === undefined ? `/c/${conversation}` : `/c/${conversation}/${message}`;
}

/** The place of a conversation that memory took from elsewhere, and in it of a turn. */
export function placeOfSession(scope: string, session: string, episode?: string): string {
  const parts = [scope, session, ...(episode === undefined ? [] : [episode])];
  return `/s/${parts.map(placePart).join('/')}`;
}

/** The place of a new chat in a project. */
export const placeOfProject = (folder: string): string => `/p/${folder}`;

type Known = Pick<Conversation, 'id' | 'scope' | 'session'>;

/** The place of a conversation: one that nothing was said in but elsewhere may not be stored in the app. */
export const placeOfConversation = ({
  id,
  scope,
  session,
  leaf,
}: Known & Pick<Conversation, 'leaf'>): string =>
  session === null || leaf !== null ? placeOfMessage(id) : placeOfSession(scope, session);

/** What names a conversation when it is saved; one that was imported is stored in the app from then on. */
export const namedFor = ({ id, scope, session }: Known) => ({
  conversation: id,
  ...(session !== null && { scope, session }),
});

const DRAFT = 'draft';

/** The conversation without messages that keeps the text of the next new chat, one for each project. */
export const draftOf = (folder: string | null): string => (folder === null ? DRAFT : `${DRAFT}-${folder}`);
export const isDraft = (conversation: string): boolean =>
  conversation === DRAFT || conversation.startsWith(`${DRAFT}-`);

/** As many conversations as the sidebar asks for, whose reply other screens use. */
export const LISTED = 500;
