import { text } from '../strings/text.ts';

/** Where a turn is from, in words: the name of an importer, or how the app and other programs store turns. */
export function sourceName(source: string): string {
  return text.memory.source.names[source] ?? text.memory.source.from(source);
}
