import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Mnemis } from '../../src/engine.ts';
import { graphitiImporter } from '../../src/importers/graphiti/graphiti.ts';
import type { FactRecord, Importer } from '../../src/importers/importer.ts';
import { mem0Importer } from '../../src/importers/mem0.ts';
import { HashingEmbedder } from '../../src/inference/embedder/hashing-embedder.ts';
import { analyze } from '../../src/search/analyzer.ts';
import { FIXTURES, readAll, rejectionsOf, temporaryFolder, turnsOf } from './temporary-file.ts';

const MEM0 = join(FIXTURES, 'mem0.json');
const GRAPHITI = join(FIXTURES, 'graphiti.json');

async function factsOf(importer: Importer, path: string) {
  const facts: FactRecord['fact'][] = [];
  for await (const record of importer.facts!(path)) if (record.kind === 'fact') facts.push(record.fact);
  return facts;
}

describe('mem0 importer', () => {
  it('reads memories as turns with their creation time', async () => {
    const notes: string[] = [];
    const records = await readAll(mem0Importer, MEM0, { onNote: (note) => notes.push(note) });
    expect(
      turnsOf(records).map(({ at, content, session, sourceId }) => [sourceId, session, content, at]),
    ).toEqual([
      ['a1', 'mem0/mara', 'Is allergic to walnuts', new Date('2024-01-05T18:00:00Z')],
      ['a2', 'mem0/mara/run-7', 'Trains for a marathon', new Date('2024-02-01T00:00:00Z')],
      ['a5', 'mem0/ben', 'Plays the cello', new Date('2024-02-02T00:00:00Z')],
    ]);
    expect(rejectionsOf(records)).toEqual([
      'memory 3: memory: is missing or empty',
      'memory 4: created_at: is not a time',
    ]);
    expect(notes).toEqual(['It holds the memories of 2 users, which all go into this one scope']);
  });

  it('imports each as a statement that ends when it expires', async () => {
    const facts = await factsOf(mem0Importer, MEM0);
    expect(facts[1]).toEqual({
      statement: 'Trains for a marathon',
      participants: ['mara'],
      validAt: Date.UTC(2024, 1, 1),
      invalidAt: Date.UTC(2024, 5, 1),
      evidence: [{ source: 'mem0', sourceId: 'a2' }],
    });
    expect(facts).toHaveLength(3);
  });

  it('reads a bare list and the field names of older versions', async () => {
    using folder = temporaryFolder();
    const list = [{ id: 1, text: 'Likes rye', created_at: 1_704_000_000 }];
    expect(turnsOf(await readAll(mem0Importer, folder.json(list)))[0]).toMatchObject({
      content: 'Likes rye',
    });
  });
});

describe('graphiti importer', () => {
  it('reads episodes as turns, and a statement without its episodes as a separate turn', async () => {
    const records = await readAll(graphitiImporter, GRAPHITI);
    expect(
      turnsOf(records).map(({ content, role, speaker, sourceId }) => [sourceId, speaker, role, content]),
    ).toEqual([
      ['ep1', 'Mara', 'user', 'I work at Kilnworks.'],
      ['ep2', 'assistant', 'assistant', 'Noted.'],
      ['fact/f2', 'Graphiti', 'other', 'Mara likes rye bread'],
    ]);
    expect(turnsOf(records)[0]).toMatchObject({
      session: 'graphiti/team',
      at: new Date('2024-01-10T09:00:00Z'),
    });
    expect(rejectionsOf(records)).toEqual([
      'episode 3: is not an episode, entity or edge of Graphiti',
      'edge 3: fact: is empty',
    ]);
  });

  it('reads lines exported by Neo4j like lists', async () => {
    using folder = temporaryFolder();
    const ends = {
      start: { id: '1', labels: ['Entity'], properties: { uuid: 'e1', name: 'Mara' } },
      end: { id: '2', labels: ['Entity'], properties: { uuid: 'e2', name: 'Oslo' } },
    };
    const rows = [
      {
        type: 'node',
        id: '0',
        labels: ['Episodic'],
        properties: { uuid: 'ep', content: 'Hi', valid_at: '2024-01-01' },
      },
      { type: 'node', id: '9', labels: ['Community'], properties: {} },
      { type: 'relationship', id: '1', label: 'MENTIONS', properties: {}, ...ends },
      {
        ...{ type: 'relationship', id: '2', label: 'RELATES_TO', ...ends },
        properties: { uuid: 'f', name: 'LIVES_IN', fact: 'Mara lives in Oslo', episodes: ['ep'] },
      },
    ];
    for (const file of [
      folder.write('graph.json', rows.map((row) => JSON.stringify(row)).join('\n')),
      folder.json(rows),
      folder.write('all.json', JSON.stringify({ nodes: rows.slice(0, 2), rels: rows.slice(2) })),
    ]) {
      expect(turnsOf(await readAll(graphitiImporter, file)).map(({ content }) => content)).toEqual(['Hi']);
      expect(await factsOf(graphitiImporter, file)).toMatchObject([
        { subject: 'Mara', relation: 'lives in', object: 'Oslo', evidence: [{ sourceId: 'ep' }] },
      ]);
    }
  });

  it('returns valid statements with their times, without duplicates', async () => {
    await using engine = await Mnemis.open({
      path: ':memory:',
      embedder: new HashingEmbedder({ analyze }),
      automatic: false,
    });
    const memory = engine.scope('a');
    for await (const event of memory.import(graphitiImporter.read(GRAPHITI), { enrich: false })) void event;
    const facts = await factsOf(graphitiImporter, GRAPHITI);
    expect(await memory.addFacts(facts)).toMatchObject({ added: 2, rejected: 0 });
    expect(await memory.addFacts(facts)).toMatchObject({ added: 0, known: 2 });
    const found = async (asOf: string) =>
      (await memory.search('Where does Mara work?', { asOf })).facts.map(({ statement }) => statement);
    expect(await found('2024-02-01')).toContain('Mara works at Kilnworks');
    expect(await found('2024-06-01')).not.toContain('Mara works at Kilnworks');
  });
});

describe('damaged exports', () => {
  const memory = (id: string) => ({
    id,
    memory: `Likes ${id}`,
    user_id: 'mara',
    created_at: '2024-01-05T18:00:00Z',
  });
  const read = async (importer: Importer, text: string) => {
    using folder = temporaryFolder();
    const records = await readAll(importer, folder.write('a.json', text));
    return [turnsOf(records).map(({ sourceId }) => sourceId), rejectionsOf(records)];
  };
  const missing = 'the file breaks off or is damaged here; what follows in it is missing';
  const damaged = 'it is not JSON, or the file breaks off within it';

  it.each(['results', 'memories'])('of mem0 under "%s" are read up to the break', async (list) => {
    const text = JSON.stringify({ [list]: [memory('a'), memory('b'), memory('c')] });
    expect(await read(mem0Importer, text.slice(0, text.indexOf('Likes c')))).toEqual([
      ['a', 'b'],
      [`memory 3: ${damaged}`, `after memory 3: ${missing}`],
    ]);
    expect(await read(mem0Importer, text.replace('Likes b', String.raw`Likes\x0Bb`))).toEqual([
      ['a', 'b', 'c'],
      [],
    ]);
    expect(await read(mem0Importer, text.replace('Likes b', 'Likes "b"'))).toEqual([
      ['a', 'c'],
      [`memory 2: ${damaged}`],
    ]);
  });

  it('of Graphiti are read up to the break, and other nodes are counted by their kind', async () => {
    const episode = (uuid: string) => ({ uuid, content: `Text ${uuid}`, valid_at: '2024-01-05T18:00:00Z' });
    const text = JSON.stringify({ episodes: [episode('a'), episode('b'), episode('c')] });
    expect(await read(graphitiImporter, text.slice(0, text.indexOf('Text c')))).toEqual([
      ['a', 'b'],
      [`episode 3: ${damaged}`, `the end: ${missing}`],
    ]);
    const rows = [
      { type: 'node', labels: ['Episodic'], properties: episode('a') },
      { type: 'node', labels: ['Community'], properties: { uuid: 'k', summary: 'secret' } },
      { type: 'relationship', label: 'HAS_MEMBER', properties: {} },
      { type: 'relationship', label: 'MENTIONS', properties: {} },
    ];
    using folder = temporaryFolder();
    const leftOut: string[] = [];
    const path = folder.write('a.jsonl', rows.map((row) => JSON.stringify(row)).join('\n'));
    await readAll(graphitiImporter, path, { onLeftOut: ({ reason }) => leftOut.push(reason) });
    expect(leftOut).toEqual([
      'a node of the unknown kind "Community"',
      'a relationship of the unknown kind "HAS_MEMBER"',
    ]);
  });
});
