/** What a message of a framework says of its place in the conversation. */
interface Spoken {
  readonly role?: unknown;
}

/** The user's messages that a prompt asks about: the last ones, before any step that the model made for them. */
export function askedIn<Message extends Spoken>(messages: readonly Message[]): readonly Message[] {
  const end = messages.findLastIndex(({ role }) => role === 'user') + 1;
  const start = messages.slice(0, end).findLastIndex(({ role }) => role !== 'user') + 1;
  return messages.slice(start, end);
}
