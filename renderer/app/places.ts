/** The address of a conversation, and in it of a message. */
export function chatPlace(conversation: string, message?: string): string {
  return message === undefined ? `#/c/${conversation}` : `#/c/${conversation}/${message}`;
}

/** The address of what memory knows in a scope; of the usual one by default. */
export function memoryPlace(scope?: string): string {
  return scope === undefined ? '#/memory' : `#/memory/${encodeURIComponent(scope)}`;
}

/** Shows a place of the app in this window. */
export function goTo(place: string): void {
  window.location.hash = place;
}

/** Whether two places are the same screen, and in a chat the same conversation. */
export function isSameScreen(before: string, now: string): boolean {
  const screen = (place: string) => place.split('/', 3).join('/');
  return screen(before) === screen(now);
}
