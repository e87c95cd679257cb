import { nameOfPart, placePart } from './place-part.ts';

/** The address of a conversation, and in it of a message. */
export function chatPlace(conversation: string, message?: string): string {
  return message === undefined ? `#/c/${conversation}` : `#/c/${conversation}/${message}`;
}

/** The screens of memory, in the order of their links. */
export const MEMORY_PLACES = ['memory', 'browse', 'timeline', 'compare', 'review', 'forget'] as const;
export type MemoryPlace = (typeof MEMORY_PLACES)[number];

/** The address of a screen of memory; of the usual scope by default. */
export function memoryPlace(scope?: string, place: MemoryPlace = 'memory'): string {
  return scope === undefined ? `#/${place}` : `#/${place}/${placePart(scope)}`;
}

/** The address of the portrait of a person. */
export function portraitPlace(scope: string, person: string): string {
  return `${memoryPlace(scope)}/${placePart(person)}`;
}

/** The address of the graph around a node of any kind. */
export function graphPlace(scope: string, node: string): string {
  return `${memoryPlace(scope, 'browse')}/${placePart(node)}`;
}

/** The address of the page of an entity. */
export function entityPlace(scope: string, entity: string): string {
  return `#/entity/${placePart(scope)}/${placePart(entity)}`;
}

/** The address of the page of a category. */
export function categoryPlace(scope: string, category: string): string {
  return `#/category/${placePart(scope)}/${placePart(category)}`;
}

/** The address of the page of an entity, which is of layer 0, or of a category. */
export function nodePlace(
  scope: string,
  { id, layer }: { readonly id: string; readonly layer: number },
): string {
  return layer > 0 ? categoryPlace(scope, id) : entityPlace(scope, id);
}

/** Pages of nodes, to which Browse leads. */
const NODE_PLACES: readonly string[] = ['entity', 'category'];

/** A screen of memory, with the scope and the node that its address names. */
interface MemoryScreenPlace {
  readonly here: MemoryPlace;
  readonly scope: string | undefined;
  readonly node: string | undefined;
}

/** Which screen of memory an address without its `#` is of; null for others. */
export function memoryScreenAt(place: string): MemoryScreenPlace | null {
  const [, screen = '', ...parts] = place.split('/');
  const here = NODE_PLACES.includes(screen) ? 'browse' : MEMORY_PLACES.find((each) => each === screen);
  const [scope, node] = parts.map(nameOfPart);
  return here === undefined ? null : { here, scope, node };
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
