/** Attachments that say what they are; the others are kept for programs, and are shown to nobody. */
export function described<Attachment extends { readonly description: string }>(
  attachments: readonly Attachment[],
): readonly Attachment[] {
  return attachments.filter(({ description }) => description.trim() !== '');
}
