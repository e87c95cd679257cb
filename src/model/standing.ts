import type { Role } from './nodes.ts';

/**
 * Whose words a turn's are: those of its speaker; an answer that was made for somebody else, which tells nothing of
 * them; or a document, in which "I" is nobody that is known.
 */
export type Standing = 'own' | 'answer' | 'document';

/** A program's own call without a source. */
const API = 'api';
/** Sources whose turns an agent writes for memory, not as an answer. */
const NOTES: ReadonlySet<string> = new Set(['mcp', 'remember-tool', 'mem0', 'saved-memories']);
/** Sources of documents, which are read and not spoken. Those of a person's own notes have the role `user`. */
export const DOCUMENT_SOURCES: ReadonlySet<string> = new Set([
  ...['markdown', 'text', 'pdf'],
  ...['html', 'docx', 'csv'],
]);

interface Spoken {
  readonly role: Role;
  readonly source?: string | undefined;
}

/** @param isTalk Whether a user speaks beside it. Without, an assistant's turn from a program is taken for a note. */
export function standingOf({ role, source = API }: Spoken, isTalk: boolean): Standing {
  if (role === 'other' && DOCUMENT_SOURCES.has(source)) return 'document';
  if (role === 'system') return 'answer';
  if (role !== 'assistant' || NOTES.has(source)) return 'own';
  return isTalk || source !== API ? 'answer' : 'own';
}
