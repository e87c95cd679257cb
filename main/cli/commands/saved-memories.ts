import { writeFile } from 'node:fs/promises';
import { StoreWriteError } from '../../../src/errors/index.ts';
import type { MemoryClient } from '../../contract.ts';

/** Facts that one page of the list brings. */
const PAGE = 500;

/**
 * What memory holds of a person, as the import of Claude, Gemini and ChatGPT takes it: one fact a line with the day from
 * which it holds, the oldest first, within a code block.
 *
 * @param about - A name; default: the user.
 */
export async function savedMemories(
  client: MemoryClient,
  {
    scope,
    about,
    signal,
  }: { readonly scope: string; readonly about?: string | undefined; readonly signal: AbortSignal },
): Promise<{ readonly person: string | null; readonly lines: readonly string[] }> {
  const { entity } = await client.portrait(
    { scope, ...(about !== undefined && { entity: about }) },
    { signal },
  );
  if (entity === null) return { person: null, lines: [] };
  const lines = new Map<string, { readonly at: number; readonly line: string }>();
  for (let after: string | undefined; ; ) {
    const input = { scope, entity: entity.id, state: 'holds' as const, limit: PAGE };
    const page = await client.facts({ ...input, ...(after !== undefined && { after }) }, { signal });
    for (const { statement, validAt } of page.items) {
      const line = `[${new Date(validAt).toISOString().slice(0, 10)}] - ${statement}`;
      lines.set(line.replace(/[.!]$/, '').toLowerCase(), { at: validAt, line });
    }
    if (page.next === null) break;
    after = page.next;
  }
  return {
    person: entity.name,
    lines: [...lines.values()].sort((a, b) => a.at - b.at).map(({ line }) => line),
  };
}

/** The block that is pasted into the other assistant. */
export const asBlock = (lines: readonly string[]): string => `\`\`\`\n${lines.join('\n')}\n\`\`\`\n`;

/** @throws StoreWriteError */
export async function writeBlock(file: string, lines: readonly string[]): Promise<void> {
  await writeFile(file, asBlock(lines), { mode: 0o600 }).catch((cause: NodeJS.ErrnoException) => {
    throw new StoreWriteError(`${file} could not be written: ${cause.code}`, cause);
  });
}
