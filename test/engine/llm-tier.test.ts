import { afterEach, describe, expect, it } from 'vitest';
import { Mnemis } from '../../src/engine.ts';
import type { TurnInput } from '../../src/model/turn-input.ts';
import { FakeLanguageModel, type FakeReply } from '../fakes/language-model/fake-language-model.ts';

type Replies = Readonly<Record<string, FakeReply>>;

/** A model that divides nothing and finds nothing, except where a test says more; it keeps every prompt. */
function scripted(replies: Replies = {}) {
  const asked: { name: string; user: string }[] = [];
  const model = new FakeLanguageModel((prompt) => {
    asked.push(prompt);
    return replies[prompt.name]?.(prompt) ?? (prompt.name === 'answer-question' ? 'HOLDS\nIn Oslo [1].' : {});
  });
  const of = (name: string) => asked.filter((each) => each.name === name);
  return { model, asked, of };
}

let engine: Mnemis | null = null;
afterEach(() => engine?.close());

async function openWith(replies: Replies = {}) {
  const script = scripted(replies);
  engine = await Mnemis.open({ path: ':memory:', languageModel: script.model, automatic: false });
  return { memory: engine.scope('a'), ...script };
}

function turn(session: string, at: string, content: string, speaker = 'Owen'): TurnInput {
  return { session, at, content, speaker };
}

/** One entity, described by the first turn of each call. */
const describesWife: FakeReply = ({ user }) => {
  const [, said = ''] = /\n1 Owen: (.*)/.exec(user) ?? [];
  const named = { kind: 'person', aliases: [], tags: [], segment: 1, turns: [1] };
  const entities = [
    { ...named, name: "Owen's wife", description: said },
    { ...named, name: 'Owen', description: `Owen says: ${said}` },
  ];
  return { segments: [{ segment: 1, keywords: ['wife'], summary: said }], keep: [1, 2], entities, facts: [] };
};

describe('the llm tier', () => {
  it('cuts and reads a session that is over in one call each, whatever its length and pauses', async () => {
    const { memory, of } = await openWith();
    const long = 'The ferry to the northern island leaves at noon and carries timber. '.repeat(8);
    for (let at = 0; at < 18; at++) {
      // A pause of two hours in the middle, and 2,500 tokens in all.
      const hour = at < 9 ? '09' : '11';
      const minute = String(at * 2).padStart(2, '0');
      await memory.add(turn('s1', `2024-05-06T${hour}:${minute}:00Z`, `${at} ${long}`));
    }
    await memory.flush();
    expect(of('segment-boundaries')).toHaveLength(1);
  });

  it('keeps every description in the profile, with its day, and describes no speaker', async () => {
    const { memory, of } = await openWith({ 'read-segments': describesWife });
    const said = ['My wife is a nurse.', 'My wife lost her job.', 'My wife sings in a choir.'];
    for (const [at, content] of said.entries()) {
      await memory.add(turn(`s${at}`, `2024-05-0${at + 1}T09:00:00Z`, content));
      await memory.add(turn(`s${at}`, `2024-05-0${at + 1}T09:01:00Z`, 'So it is.', 'Ann'));
      await memory.flush();
    }
    const { entities } = await memory.search("Owen's wife");
    const summaryOf = (name: string) => entities.find((each) => each.name === name)?.summary;
    expect(summaryOf("Owen's wife")).toBe(
      'My wife is a nurse. (said 2024-05-01) My wife lost her job. (said 2024-05-02) My wife sings in a choir. (said 2024-05-03)',
    );
    expect(summaryOf('Owen') ?? '').not.toContain('Owen says');
    expect(of('describe-entities')).toEqual([]);
    // "My wife" means a name of memory that the turns do not contain.
    expect(of('read-segments')[1]!.user).toContain('mean the same:\n');
    expect(of('read-segments')[1]!.user).toContain("Owen's wife");
  });

  it('relates topics by rules', async () => {
    const { memory, asked } = await openWith({ 'read-segments': describesWife });
    for (const session of ['s1', 's2']) {
      await memory.add(turn(session, '2024-05-01T09:00:00Z', `In ${session} my wife sings in a choir.`));
      await memory.add(turn(session, '2024-05-01T09:01:00Z', 'She sings in a choir.', 'Ann'));
    }
    await memory.flush();
    expect(new Set(asked.map(({ name }) => name))).not.toContain('relate-segments');
  });

  it('reports what each stage cost, in every report', async () => {
    const { memory } = await openWith({ 'read-segments': describesWife });
    const turns = [
      turn('s1', '2024-05-01T09:00:00Z', 'My wife is a nurse in Oslo.'),
      turn('s1', '2024-05-01T09:01:00Z', 'Lovely!', 'Ann'),
    ];
    const records = turns.map((each, at) => ({ kind: 'turn' as const, turn: each, where: `${at}` }));
    for await (const event of memory.import(records))
      if (event.type === 'done') {
        expect(event.byStage['read-segments']).toMatchObject({ calls: 1 });
        expect(callsOf(event.byStage)).toBe(event.usage.calls);
      }
    await memory.add(turn('s2', '2024-06-01T09:00:00Z', 'My wife sings.'));
    for await (const event of memory.resume())
      if (event.type === 'done') expect(callsOf(event.byStage)).toBe(event.usage.calls);
    await memory.add(turn('s3', '2024-06-02T09:00:00Z', 'My wife swims.'));
    const flushed = await memory.flush();
    expect(callsOf(flushed.byStage)).toBe(flushed.usage.calls);
    expect(flushed.usage.calls).toBeGreaterThan(0);
  });

  it('reports what it did not take from the replies, in every report', async () => {
    const invented = { statement: 'Owen knows John Doe of Initech.', participants: ['Owen'], turns: [1] };
    const facts = [invented, invented, { ...invented, statement: 'She is a nurse.' }];
    const { memory } = await openWith({
      'read-segments': () => ({ segments: [], keep: [1], entities: [], facts }),
    });
    const twice = [
      { what: 'fact', reason: 'not-said', count: 2 },
      { what: 'fact', reason: 'open-pronoun', count: 1 },
    ];
    const first = turn('s1', '2024-05-01T09:00:00Z', 'My wife is a nurse in Oslo.');
    const records = [{ kind: 'turn' as const, turn: first, where: '1' }];
    expect((await memory.import(records)).dropped).toEqual(expect.arrayContaining(twice));
    await memory.add(turn('s2', '2024-06-01T09:00:00Z', 'My wife sings.'));
    expect((await memory.resume()).dropped).toEqual(expect.arrayContaining(twice));
    await memory.add(turn('s3', '2024-06-02T09:00:00Z', 'My wife swims.'));
    const flushed = await memory.flush();
    expect(flushed.dropped).toEqual(expect.arrayContaining(twice));
    expect(flushed.counts.facts).toBe(0);
    expect(JSON.stringify(flushed.dropped)).not.toContain('Doe');
  });

  it('has the model walk the categories only for questions that ask for all of a kind', async () => {
    const { memory, of } = await openWith({
      'read-segments': describesWife,
      'categorize-nodes': () => ({ categories: [], alone: [1, 2, 3] }),
    });
    await memory.add(turn('s1', '2024-05-01T09:00:00Z', 'My wife is a nurse in Oslo.'));
    await memory.add(turn('s1', '2024-05-01T09:01:00Z', 'Lovely!', 'Ann'));
    await memory.flush();
    const one = await memory.ask('Where is the wife of Owen a nurse?');
    expect(of('select-nodes')).toEqual([]);
    expect(one.byStage).toEqual({ 'answer-question': one.usage });
    const all = await memory.ask('List all the people of Owen.');
    expect(of('select-nodes').length).toBeGreaterThan(0);
    expect(Object.keys(all.byStage ?? {})).toEqual(['select-nodes', 'answer-question']);
    await memory.search('Where is the wife of Owen a nurse?', { recipe: 'mnemis' });
    expect(of('select-nodes').length).toBeGreaterThan(all.byStage!['select-nodes']!.calls);
  });
});

function callsOf(byStage: Readonly<Record<string, { readonly calls: number }>>): number {
  return Object.values(byStage).reduce((sum, { calls }) => sum + calls, 0);
}
