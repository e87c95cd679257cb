/** The address of a conversation, and in it of a message. */
export function chatPlace(conversation: string, message?: string): string {
  return message === undefined ? `#/c/${conversation}` : `#/c/${conversation}/${message}`;
}

/** The screens of memory, in the order of their links. */
export const MEMORY_PLACES = ['memory', 'browse', 'timeline', 'compare', 'review', 'forget'] as const;
export type MemoryPlace = (typeof MEMORY_PLACES)[number];

/** The address of a screen of memory; of the usual scope by default. */
export function memoryPlace(scope?: string, place: MemoryPlace = 'memory'): string {
  return scope === undefined ? `#/${place}` : `#/${place}/${encodeURIComponent(scope)}`;
}

/** The address of the page of an entity. */
export function entityPlace(scope: string, entity: string): string {
  return `#/entity/${encodeURIComponent(scope)}/${encodeURIComponent(entity)}`;
}

/** The address of the page of a category. */
export function categoryPlace(scope: string, category: string): string {
  return `#/category/${encodeURIComponent(scope)}/${encodeURIComponent(category)}`;
}

/** The address of the page of an entity, which is of layer 0, or of a category. */
export function nodePlace(
  scope: string,
  { id, layer }: { readonly id: string; readonly layer: number },
): string {
  return layer > 0 ? categoryPlace(scope, id) : entityPlace(scope, id);
}

/** Whether an address, without its `#`, is of a screen of memory. */
export function isMemoryPlace(place: string): boolean {
  const screen = place.split('/', 2)[1] ?? '';
  return [...MEMORY_PLACES, 'entity', 'category'].includes(screen);
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
