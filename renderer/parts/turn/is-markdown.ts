interface Turn {
  readonly role: string;
  readonly source: string;
}

/** Documents that are kept as Markdown. */
const DOCUMENTS: ReadonlySet<string> = new Set(['markdown', 'html', 'docx']);

/** Whether the words of a turn are Markdown: those of an assistant, and of documents. */
export const isMarkdown = ({ role, source }: Turn): boolean => role === 'assistant' || DOCUMENTS.has(source);
