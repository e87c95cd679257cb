import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ScopeIndex } from '../../search/scope-index.ts';
import { scopeIndexSections } from '../../search/scope-index-sections.ts';
import { filesIn } from '../backup/manifest.ts';
import { searchSections, wordsOf } from './search-sections.ts';
import { readSnapshotFile } from './snapshot-file.ts';
import { HeldTally, type TextHolder } from './text-holder.ts';

/** The search indexes that are in memory; `loaded` gives those of the moment. */
export function indexHolder(loaded: () => Iterable<ScopeIndex>): TextHolder {
  return {
    name: 'search indexes',
    async holds(texts, { signal } = {}) {
      const tally = new HeldTally();
      for (const index of loaded()) {
        signal?.throwIfAborted();
        tally.addAll(searchSections(scopeIndexSections(index), texts));
      }
      return tally.all();
    },
  };
}

/** Every file in the folder of snapshots, of whatever commit, and what broken-off writes left there. */
export function snapshotHolder(folder: string): TextHolder {
  return {
    name: 'index snapshots',
    async holds(texts, { signal } = {}) {
      const tally = new HeldTally();
      for (const name of await filesIn(folder)) {
        signal?.throwIfAborted();
        const path = join(folder, name);
        const file = await readSnapshotFile(path);
        if (file !== null) tally.addAll(searchSections(file.sections, texts));
        else await searchFragment(path, texts, tally);
      }
      return tally.all();
    },
  };
}

/** Of a file that cannot be read as a snapshot: whether all words of a text stand in it, as they do in a dictionary. */
async function searchFragment(path: string, texts: readonly string[], tally: HeldTally): Promise<void> {
  const bytes = await readFile(path).catch(() => Buffer.alloc(0));
  for (const [text, words] of wordsOf(texts).entries()) {
    const quoted = [...words].map((word) => JSON.stringify(word));
    if (quoted.length > 0 && quoted.every((word) => bytes.includes(word)))
      tally.add(text, 'a broken snapshot');
  }
}
