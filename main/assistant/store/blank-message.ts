import type { AppStore } from './app-store.ts';

/** Leaves of a message that it was forgotten: no words, images or citations, and no reasons. */
export function blankMessage({ messages, images }: Pick<AppStore, 'messages' | 'images'>, id: string): void {
  const { attachments } = messages.get(id);
  images.deleteOf(id);
  messages.update(id, {
    text: '',
    state: 'forgotten',
    citations: [],
    attachments: attachments.filter(({ image }) => image === null),
    why: null,
  });
}
