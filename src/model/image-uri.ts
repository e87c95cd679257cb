import type { Attachment } from './columns.ts';

/** Begins the URI of an image whose bytes are kept beside memory, and are forgotten with its turn. */
export const IMAGE_URI = 'mnemis-image:';

export const imageUri = (id: string): string => `${IMAGE_URI}${id}`;

/** The id of the image that an attachment stands for; null: it has none of its own. */
export const imageId = ({ uri }: Pick<Attachment, 'uri'>): string | null =>
  uri?.startsWith(IMAGE_URI) ? uri.slice(IMAGE_URI.length) : null;

/** The id of the first image of a turn; null: it has none. */
export function firstImage(attachments: readonly Pick<Attachment, 'uri'>[]): string | null {
  for (const attachment of attachments) {
    const id = imageId(attachment);
    if (id !== null) return id;
  }
  return null;
}
