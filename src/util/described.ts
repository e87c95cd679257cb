/** Attachments that have a description. The others are stored for programs and never shown. */
export function described<Attachment extends { readonly description: string }>(
  attachments: readonly Attachment[],
): readonly Attachment[] {
  return attachments.filter(({ description }) => description.trim() !== '');
}
