/** The place of a conversation in the app, and in it of a message. */
export function placeOfMessage(conversation: string, message?: string): string {
  return message === undefined ? `/c/${conversation}` : `/c/${conversation}/${message}`;
}

const DRAFT = 'draft';

/** The conversation without messages that keeps the text of the next new chat, one for each project. */
export const draftOf = (folder: string | null): string => (folder === null ? DRAFT : `${DRAFT}-${folder}`);
export const isDraft = (conversation: string): boolean =>
  conversation === DRAFT || conversation.startsWith(`${DRAFT}-`);

/** As many conversations as the sidebar asks for, whose reply other screens use. */
export const LISTED = 500;
