interface Turn {
  readonly content: string;
  readonly attachments: readonly { readonly description: string }[];
}

/** What a turn says; of one without words, what its first attachment shows. */
export const wordsOfTurn = ({ content, attachments }: Turn): string =>
  content === '' ? (attachments[0]?.description ?? '') : content;
