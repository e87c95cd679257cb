import { readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { freshPath, graphOf, open } from '../../engine/memory-fixture.ts';
import { FILE_STORES } from '../../store/file-stores.ts';
import { expectWithout, PLAIN, SECRET, SECRET_WORDS } from './forget-lab.ts';

/** Of every file of a memory: database, log, index snapshots. */
function bytesOf(path: string): Buffer {
  const all: Buffer[] = [];
  const visit = (file: string) => {
    if (statSync(file).isDirectory()) for (const name of readdirSync(file)) visit(join(file, name));
    else all.push(readFileSync(file));
  };
  for (const name of readdirSync(dirname(path)))
    if (name.startsWith(basename(path))) visit(join(dirname(path), name));
  return Buffer.concat(all);
}

const found = (path: string, texts: readonly string[]) => {
  const bytes = bytesOf(path);
  return texts.filter((text) => bytes.includes(text));
};

describe.each(FILE_STORES)('$name', ({ ending }) => {
  it('no file contains a forgotten word once the memory is compacted', async () => {
    const path = freshPath(ending);
    const first = await open(path, { automatic: false });
    await first.scope('a').add([...SECRET, ...PLAIN]);
    await first.scope('a').flush();
    await first.scope('a').search('zither');
    await first.close();
    expect(found(path, SECRET_WORDS)).toEqual(SECRET_WORDS);
    expect(found(`${path}.indexes`, ['Quentin'])).toEqual(['Quentin']);

    const engine = await open(path, { automatic: false });
    const memory = engine.scope('a');
    await memory.search('zither');
    const report = await memory.forget({ session: 'secret' });
    expect(report).toMatchObject({ onDisk: 'needs compact', proof: { clean: true, findings: [] } });
    expectWithout(await graphOf(memory), SECRET_WORDS);
    expect((await memory.search('zither')).episodes.some(({ content }) => content.includes('zither'))).toBe(
      false,
    );
    // SQLite overwrites removed rows at once.
    if (ending === '.db') expect(found(path, SECRET_WORDS)).not.toEqual([]);
    expect(found(`${path}.indexes`, SECRET_WORDS)).toEqual([]); // at once: nothing else would tell of it
    await engine.compact();
    const gone = [...SECRET_WORDS, ...SECRET.map(({ content }) => content)];
    expect(found(path, gone)).toEqual([]);
    await engine.backup(`${path} backup`);
    expect(found(`${path} backup`, [...gone, 'Lisbon'])).toEqual(['Lisbon']);
    await engine.close();
    expect(found(path, gone)).toEqual([]);
    expect(found(path, ['Lisbon', 'beagle'])).toEqual(['Lisbon', 'beagle']);

    await using again = await open(path, { automatic: false });
    expect(await again.scope('a').add(SECRET)).toMatchObject({ rejected: 3 });
    expect((await again.verify()).findings).toEqual([]);
  });
});
