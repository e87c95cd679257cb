import { describe, expect, it } from 'vitest';
import type { MemoryScope } from '../../../src/engine/memory-scope.ts';
import { Mnemis } from '../../../src/engine.ts';
import type { TurnInput } from '../../../src/model/turn-input.ts';

const NAMES = [
  'Dr. Otto Klein',
  'Mr. Otto Klein',
  'Prof. Otto Klein',
  'St. Otto',
  'J. R. Klein',
  'Otto Klein Jr.',
  'Otto Klein of Acme Inc.',
  'Otto Klein (born 3.5 km away, e.g. in Bonn)',
  'Otto Klein, see https://klein.example.org/a.b?c=1',
  'Otto “the Fox” Klein … or so',
];

async function withMemory(job: (memory: MemoryScope) => Promise<void>): Promise<void> {
  await using engine = await Mnemis.open({ path: ':memory:', automatic: false });
  await job(engine.scope('a'));
}

async function added(
  memory: MemoryScope,
  turns: readonly (TurnInput | string)[],
): Promise<readonly string[]> {
  const { outcomes } = await memory.add([...turns] as TurnInput[]);
  return outcomes.map((outcome) => ('id' in outcome ? outcome.id : ''));
}

describe('the proof of a forgetting gives no alarm', () => {
  it.each(NAMES)('for summaries that name %s', (name) =>
    withMemory(async (memory) => {
      let hours = 8;
      const turn = (session: string, content: string, speaker = 'Tom'): TurnInput => {
        hours += 1;
        return { session, speaker, content, at: Date.UTC(2026, 0, 1, hours) };
      };
      await added(memory, [turn('d1', `I started chess yesterday; my boss ${name} recommended the method.`)]);
      await memory.flush();
      const [, forgotten] = await added(memory, [
        turn('d2', 'I am allergic to peanuts. Nora loves it.'),
        turn('d1', 'I bought a red bicycle.', 'Yusuf'),
        turn('d1', 'Ich wohne in Riga und mag Hunde sehr.'),
      ]);
      await memory.flush();
      await added(memory, [turn('d2', 'I no longer live in Bruges. I moved to Riga two days ago.')]);
      await memory.flush();
      const { proof } = await memory.forget({ episode: forgotten! });
      expect(proof).toMatchObject({ clean: true, findings: [] });
    }),
  );

  it.each([{ all: true }, { session: 'default' }] as const)('for turns without a speaker: %o', (target) =>
    withMemory(async (memory) => {
      await memory.add('I live in Ghent.');
      await memory.add({ role: 'assistant', content: 'Ghent is lovely.' });
      await memory.flush();
      const { session } = (await memory.list({ kind: 'episode' })).items[0] as { session: string };
      const { proof } = await memory.forget('all' in target ? target : { session });
      expect(proof).toMatchObject({ clean: true, findings: [] });
    }),
  );

  it('for a name in other letters that the former version of another turn says', () =>
    withMemory(async (memory) => {
      const turn = (sourceId: string, content: string): TurnInput => ({
        session: 'wed',
        sourceId,
        source: 'notes',
        speaker: 'Tom',
        content,
      });
      await added(memory, [turn('1', 'dr. Otto Klein told me that the festival begins in Turin on 3 May.')]);
      await memory.flush();
      await added(memory, [turn('1', 'I work at Porto hospital.')]);
      const [id] = await added(memory, [
        turn('2', 'Dr. Otto Klein has a birthday, and Begara is coming too.'),
      ]);
      await memory.flush();
      expect((await memory.forget({ episode: id! })).proof).toMatchObject({ clean: true, findings: [] });
    }));

  it.each(['Carla', 'Mia', 'Ben'])('for the name %s that a given fact brings', (object) =>
    withMemory(async (memory) => {
      const turn = (sourceId: string, speaker: string, content: string): TurnInput => ({
        session: 'wed',
        ...{ sourceId, source: 'notes', speaker, content },
      });
      const [first] = await added(memory, [
        turn('1', 'Carla', 'Yusuf and Mia are getting married in Zurich. Ben sings.'),
        turn('2', 'Tom', 'I moved to Kudo last week.'),
      ]);
      await memory.flush();
      await memory.addFacts([
        {
          ...{ statement: 'Nora plays chess with her teacher', subject: 'Nora', relation: 'play chess with' },
          ...{ object, evidence: [{ source: 'notes', sourceId: '2' }] },
        },
      ]);
      expect((await memory.forget({ episode: first! })).proof).toMatchObject({ clean: true, findings: [] });
    }),
  );
});
