import { readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Mnemis } from '../../src/index.ts';
import { collect } from '../../src/util/collections.ts';
import { freshPath } from './memory-fixture.ts';

const NAME = 'alice.quibble@example.com';
const OTHER = 'alice.quibble@example.com.au';

const STORES = {
  memory: () => ':memory:',
  kuzu: () => freshPath(),
  sqlite: () => freshPath().replace(/\.[a-z]+$/, '.sqlite'),
};

async function filled(path: string) {
  const engine = await Mnemis.open({ path });
  for (const name of [NAME, OTHER]) {
    const memory = engine.scope(name);
    await memory.add(['I live in Ghent.', 'I work with Bob at Imec.']);
    await memory.flush();
    await memory.forget({ query: 'Imec' });
    await memory.items.put(['notes'], 'one', { text: 'a parrot' });
  }
  return engine;
}

/** The files beside a memory that contain the text. */
function filesWith(path: string, text: string): string[] {
  const folder = dirname(path);
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((file) => file.startsWith(path) && statSync(file).isFile() && readFileSync(file).includes(text));
}

describe.each(Object.entries(STORES))('deleteScope in %s', (_, place) => {
  it('removes the scope and its name, and proves it; others stay', async () => {
    await using engine = await filled(place());
    const old = engine.scope(NAME);
    const { proof, removed } = await engine.deleteScope(NAME);
    expect(proof).toMatchObject({ clean: true, findings: [] });
    expect(removed).toMatchObject({ episode: 1 });
    expect(await engine.scopes()).toEqual([OTHER]);
    expect(await engine.scope(OTHER).stats()).toMatchObject({ episode: 1, item: 1, tombstone: 1 });
    await expect(old.add('I am back.')).rejects.toMatchObject({ code: 'invalid-input' });
    await expect(old.search('Ghent')).rejects.toMatchObject({ code: 'invalid-input' });
    const again = engine.scope(NAME);
    expect(await again.stats()).toMatchObject({ episode: 0, fact: 0, tombstone: 0, correction: 0 });
    expect(await again.add('I live in Ghent.')).toMatchObject({ stored: 1 });
    expect((await again.search('Ghent')).episodes).toHaveLength(1);
    expect((await engine.verify()).sound).toBe(true);
  });

  it('reports its progress, and can be repeated', async () => {
    await using engine = await filled(place());
    const events = [];
    for await (const { type } of engine.deleteScope(NAME)) events.push(type);
    expect(events.at(-1)).toBe('done');
    expect((await engine.deleteScope(NAME)).proof.clean).toBe(true);
    expect(await engine.scopes()).toEqual([OTHER]);
  });
});

it.each([STORES.kuzu, STORES.sqlite])('after compact no file has the name (%#)', async (place) => {
  const path = place();
  const engine = await filled(path);
  await engine.deleteScope(OTHER);
  await engine.deleteScope(NAME);
  await collect(
    (async function* () {
      for await (const event of engine.compact()) yield [event];
    })(),
  );
  await engine.close();
  expect(filesWith(path, 'quibble')).toEqual([]);
  expect(filesWith(path, 'Ghent')).toEqual([]);
  await using reopened = await Mnemis.open({ path });
  expect(await reopened.scopes()).toEqual([]);
});
