import { readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { StoreWriteError } from '../../src/errors/index.ts';
import { GraphView } from '../../src/search/graph-view.ts';
import { LexicalIndex } from '../../src/search/lexical-index.ts';
import {
  prefixSections,
  type Section,
  type Sections,
  sectionArray,
  sectionJson,
  sectionsUnder,
} from '../../src/search/sections.ts';
import {
  decodeSnapshot,
  encodeSnapshot,
  readSnapshot,
  removeSnapshot,
  writeSnapshot,
} from '../../src/search/snapshot.ts';
import { VectorIndex } from '../../src/search/vector-index.ts';
import { freshFolder } from '../fixtures/fresh-folder.ts';

let folder: string;
beforeEach(async () => {
  folder = freshFolder();
});

const sections: Sections = new Map<string, Section>([
  ['floats', Float32Array.of(1, -0, Number.NaN, 1e-40)],
  ['doubles', Float64Array.of(Math.PI)],
  ['unsigned', Uint32Array.of(0, 2 ** 32 - 1)],
  ['signed', Int32Array.of(-1)],
  ['bytes', Uint8Array.of(1, 2, 3)],
  ['nothing', new Float32Array(0)],
  ['words', { json: { terms: ['straße', '猫', '\u0000', '\ud800'] } }],
]);

function fileOf(stamp: string, content: Sections = sections): Uint8Array {
  return new Uint8Array(Buffer.concat(encodeSnapshot(stamp, content)));
}

describe('a snapshot', () => {
  it('is read as it was written, and readable by its owner only', async () => {
    const path = join(folder, 'a.index');
    await writeSnapshot(path, 'old', new Map());
    await writeSnapshot(path, 'scope 7', sections);
    const { snapshot, reason } = await readSnapshot(path, 'scope 7');
    expect(reason).toBeNull();
    expect(snapshot!.sections).toEqual(sections);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect(await readdir(folder)).toEqual(['a.index']);
  });

  it('is a view on the file if that is aligned, and correct if it is not', () => {
    const file = fileOf('s');
    const shifted = new Uint8Array(file.length + 1);
    shifted.set(file, 1);
    const aligned = decodeSnapshot(file, 's').snapshot!.sections.get('floats') as Float32Array;
    expect(aligned.buffer).toBe(file.buffer);
    expect(decodeSnapshot(shifted.subarray(1), 's').snapshot!.sections).toEqual(sections);
    expect(decodeSnapshot(Buffer.from(shifted.buffer, 1), 's').snapshot!.sections).toEqual(sections);
  });

  it('is rejected with a reason for every flipped byte', () => {
    const file = fileOf('s');
    for (let at = 0; at < file.length; at++) {
      const damaged = file.slice();
      damaged[at]! ^= 1 << (at % 8);
      const { snapshot, reason } = decodeSnapshot(damaged, 's');
      expect(snapshot, `byte ${at}`).toBeNull();
      expect(reason).toMatch(/^(foreign|other version|truncated|damaged)$/);
    }
  });

  it('is rejected with a reason at every length', () => {
    const file = fileOf('s');
    for (let length = 0; length < file.length; length++) {
      expect(decodeSnapshot(file.slice(0, length), 's').reason).toMatch(/^(foreign|truncated)$/);
    }
    expect(decodeSnapshot(Buffer.concat([file, Buffer.alloc(64)]), 's').reason).toBe('damaged');
  });

  it('names what is wrong', async () => {
    const path = join(folder, 'b.index');
    expect((await readSnapshot(path, 's')).reason).toBe('missing');
    expect((await readSnapshot(folder, 's')).reason).toBe('unreadable');
    await writeFile(path, 'PK\u0003\u0004 something else entirely, longer than a header');
    expect((await readSnapshot(path, 's')).reason).toBe('foreign');
    await writeSnapshot(path, 'of another commit', sections);
    expect((await readSnapshot(path, 's')).reason).toBe('other stamp');
    const file = await readFile(path);
    file.writeUInt32LE(1, 8);
    await writeFile(path, file);
    expect((await readSnapshot(path, 's')).reason).toBe('other version');
  });

  it('keeps the old one when a new one cannot be written, and leaves nothing behind', async () => {
    await writeFile(join(folder, 'file'), '');
    await expect(writeSnapshot(join(folder, 'file', 'c.index'), 's', sections)).rejects.toThrow(
      StoreWriteError,
    );
    const occupied = join(folder, 'occupied');
    await rm(occupied, { force: true });
    await writeSnapshot(join(folder, 'd.index'), 's', sections);
    await expect(writeSnapshot(folder, 's', sections)).rejects.toThrow(StoreWriteError);
    expect((await readSnapshot(join(folder, 'd.index'), 's')).reason).toBeNull();
  });

  it('replaces a link instead of writing through it', async () => {
    const target = join(folder, 'precious');
    await writeFile(target, 'precious');
    await symlink(target, join(folder, 'e.index'));
    await writeSnapshot(join(folder, 'e.index'), 's', sections);
    expect(await readFile(target, 'utf8')).toBe('precious');
  });

  it('is removed with the files of interrupted writes', async () => {
    const path = join(folder, 'f.index');
    await writeSnapshot(path, 's', sections);
    await writeFile(join(folder, '.f.index.0b5a.tmp'), 'half');
    await writeFile(join(folder, 'other'), 'stays');
    await removeSnapshot(path);
    await removeSnapshot(path);
    expect(await readdir(folder)).toEqual(['other']);
  });

  it('holds several indexes', async () => {
    const lexical = new LexicalIndex();
    const vectors = new VectorIndex(2);
    for (let ordinal = 0; ordinal < 300; ordinal++) {
      lexical.add(ordinal, [{ text: `dog number ${ordinal}`, weight: 1 }]);
      vectors.set(ordinal, Float32Array.of(127, ordinal % 128));
    }
    const graph = GraphView.fromEdges(2, [{ from: 0, to: 1, weight: 0.5, type: 3 }]);
    const path = join(folder, 'all.index');
    await writeSnapshot(
      path,
      's',
      new Map([
        ...prefixSections('lexical.', lexical.toSections()),
        ...prefixSections('vectors.', vectors.toSections()),
        ...prefixSections('graph.', graph.toSections()),
      ]),
    );
    const read = (await readSnapshot(path, 's')).snapshot!.sections;
    const query = [{ term: '7', weight: 1 }];
    expect(LexicalIndex.fromSections(sectionsUnder('lexical.', read))!.top(query, 3)).toEqual(
      lexical.top(query, 3),
    );
    expect(VectorIndex.fromSections(sectionsUnder('vectors.', read))!.get(7)).toEqual(
      Float32Array.of(127, 7),
    );
    expect(GraphView.fromSections(sectionsUnder('graph.', read))!.neighbours(0)).toEqual(graph.neighbours(0));
    expect(VectorIndex.fromSections(sectionsUnder('graph.', read))).toBeNull();
  });
});

it('sections are read by type and schema', () => {
  expect(sectionArray(sections, 'bytes', Uint8Array)).toEqual(Uint8Array.of(1, 2, 3));
  expect(sectionArray(sections, 'bytes', Float32Array)).toBeNull();
  expect(sectionArray(sections, 'absent', Float32Array)).toBeNull();
  expect(sectionJson(sections, 'words', z.object({ terms: z.array(z.string()) }))?.terms).toHaveLength(4);
  expect(sectionJson(sections, 'words', z.number())).toBeNull();
  expect(sectionJson(sections, 'bytes', z.unknown())).toBeNull();
});
