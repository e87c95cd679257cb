import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CONTEXT_TOKENS } from '../../../src/answer/defaults.ts';
import { answerQuestion } from '../../../src/answer/llm/answer-question-prompt.ts';
import { readCitations } from '../../../src/answer/llm/citations.ts';
import { GrowingReply, llmAnswer, readAnswerReply } from '../../../src/answer/llm/llm-answer.ts';
import { memoryContext } from '../../../src/answer/memory-context.ts';
import { ModelDeclinedError } from '../../../src/errors/index.ts';
import { TokenBudget } from '../../../src/inference/language-model/calling/token-budget.ts';
import { TokenCounter } from '../../../src/inference/language-model/tokens/count-tokens.ts';
import type { LanguageModel } from '../../../src/inference/language-model.ts';
import { NOT_ENOUGH } from '../../../src/model/fixed-replies.ts';
import { recipeFrom } from '../../../src/retrieve/recipes/recipes.ts';
import { readLookBack } from '../../../src/search/look-back.ts';
import { noraStory } from '../../browse/history/hand-made.ts';
import { askMemory } from '../../engine/ask-memory.ts';
import { FakeLanguageModel, type FakeReply } from '../../fakes/language-model/fake-language-model.ts';
import { openLab } from '../../inference/language-model/model-lab.ts';
import { episodeItem, factItem, found, NOON } from '../items.ts';

const SEARCH = found({
  query: 'Where does Ann live?',
  facts: [factItem('f1', 'Ann lives in Oslo'), factItem('f2', 'Ann has a dog', { rank: 2 })],
  episodes: [episodeItem('t1', { content: 'I live in Oslo.' })],
  usage: { calls: 1, promptTokens: 5, completionTokens: 1 },
});
const reply = (said: FakeReply) => llmAnswer(SEARCH, { model: new FakeLanguageModel(said), now: NOON });

describe('an answer by a language model', () => {
  it('cites what it rests on, numbered anew', async () => {
    const answer = await reply(() => 'HOLDS\nOslo [3, 1]');
    expect(answer).toMatchObject({
      answered: true,
      text: 'Oslo [1] [2]',
      answerer: 'llm',
      confidence: null,
      notes: [],
      citations: [
        { number: 1, quote: 'I live in Oslo.', item: { id: 't1' } },
        { number: 2, quote: 'Ann lives in Oslo', item: { id: 'f1' } },
      ],
    });
    expect(answer.usage.calls).toBe(2);
    expect(answer.usage.promptTokens).toBeGreaterThan(100);
  });

  it('shows the model the sources and the day, as data', async () => {
    let seen = '';
    await reply(({ user }) => {
      seen = user;
      return 'HOLDS\nOslo [1]';
    });
    expect(seen.split('\n')).toEqual([
      '<data-1>',
      '[1] fact: Ann lives in Oslo (said on 2024-06-10)',
      '[2] fact: Ann has a dog (said on 2024-06-10)',
      '@ Mon 2024-06-10 12:00',
      '[3] Ann: I live in Oslo.',
      '</data-1>',
      'Asked on Mon 2024-06-10:',
      '<question-1>',
      'Where does Ann live?',
      '</question-1>',
    ]);
  });

  it.each<[what: string, said: string, note: RegExp | null]>([
    ['it abstains', 'UNCLEAR\nNOT_ENOUGH', null],
    ['it abstains and cites all the same', 'holds\n not_enough. [1]', null],
    ['it says no more than that the premise fails', 'FAILS', /contradicts what the question assumes/],
    ['it says so in words of its own', 'The sources do not say where Ann lives.', null],
    ['it knows nothing', 'HOLDS\nI don’t know.', null],
    ['the premise fails', 'FAILS\nNOT_ENOUGH', /contradicts what the question assumes/],
    [
      'it says so in its own form',
      '**Premise: fails**\n\nNOT_ENOUGH',
      /contradicts what the question assumes/,
    ],
    ['the premise fails and nothing is cited', 'FAILS\nParis', /contradicts .*; .* cites no source/],
  ])('is an abstention where %s', async (_, said, note) => {
    const answer = await reply(() => said);
    expect(answer).toMatchObject({ answered: false, text: NOT_ENOUGH, citations: [], unusable: null });
    expect(answer.notes.join('; ')).toMatch(note ?? /^$/);
    expect(answer.usage.calls).toBe(2);
  });

  it.each<[what: string, said: string, unusable: RegExp]>([
    ['it says nothing', '', /has no text/],
    ['it is white space', ' \n\t', /has no text/],
    ['it says no more than that the premise holds', 'HOLDS', /has no text/],
    ['it cites nothing', 'HOLDS\nParis', /cites no source/],
    ['it cites what is not there', 'HOLDS\nParis [9, 0] [12]', /cites no source/],
    ['it has an empty citation', 'HOLDS\nOslo []', /cites no source/],
    ['it is JSON without an answer', '{"facts": [], "entities": []}', /has no text/],
    ['it is JSON that was cut', '{"answer": "Ann lives in Os', /has no text/],
  ])('is unusable where %s', async (_, said, unusable) => {
    const answer = await reply(() => said);
    expect(answer).toMatchObject({ answered: false, citations: [] });
    expect(answer.unusable).toMatch(unusable);
    // What cites nothing is asked for twice.
    expect(answer.usage.calls).toBe(/cites/.test(answer.unusable!) ? 3 : 2);
  });

  it.each<[said: string, notes: RegExp]>([
    ['HOLDS\nOslo [1]', /^$/],
    ['UNCLEAR\nOslo [1]', /^memory does not confirm all that the question assumes$/],
    ['FAILS\nOslo, and not since May but since June [1]', /^memory contradicts what the question assumes$/],
  ])('is kept with a note where the premise is doubted: %j', async (said, notes) => {
    const pieces: string[] = [];
    const model = new FakeLanguageModel(() => said);
    const answer = await llmAnswer(SEARCH, { model, now: NOON, onText: (piece) => pieces.push(piece) });
    expect(answer).toMatchObject({ answered: true, citations: [{ item: { id: 'f1' } }] });
    expect(pieces.join('')).toBe(answer.text);
    expect(answer.notes.join('; ')).toMatch(notes);
  });

  it('asks nobody where nothing was found', async () => {
    const model = new FakeLanguageModel(() => expect.fail('asked'));
    expect(await llmAnswer(found(), { model, now: NOON })).toMatchObject({
      answered: false,
      text: NOT_ENOUGH,
    });
  });

  it('is asked for once more where a reply cites nothing', async () => {
    const asked: string[] = [];
    const pieces: string[] = [];
    const model = new FakeLanguageModel(({ user }) => {
      asked.push(user);
      return asked.length === 1 ? 'HOLDS\nOslo' : 'HOLDS\nOslo [1]';
    });
    const answer = await llmAnswer(SEARCH, { model, now: NOON, onText: (piece) => pieces.push(piece) });
    expect(answer).toMatchObject({ answered: true, text: 'Oslo [1]', unusable: null, usage: { calls: 3 } });
    expect(pieces.join('')).toBe('Oslo [1]');
    expect(asked[1]).toBe(`${asked[0]}\n${asked[1]!.split('\n').at(-1)}`);
    expect(asked[1]).toMatch(/named no source/);
  });

  it('is an abstention that says what is true instead, where the premise fails', async () => {
    const answer = await reply(() => 'FAILS\nNOT_ENOUGH: Bob has a dog [2], Ann lives in Oslo [1].');
    expect(answer).toMatchObject({
      answered: false,
      text: `${NOT_ENOUGH} Bob has a dog [1], Ann lives in Oslo [2].`,
      citations: [{ item: { id: 'f2' } }, { item: { id: 'f1' } }],
      notes: ['memory contradicts what the question assumes'],
      unusable: null,
    });
  });

  it('has a prompt of at most 4,500 tokens where memory fills its budget', async () => {
    const counter = new TokenCounter();
    const content = 'I went to the market in Oslo and bought a blue lamp for the hall, and then had soup.';
    const episodes = Array.from({ length: 150 }, (_, at) =>
      episodeItem(`t${at}`, { rank: at + 1, index: 2 * at, content: `${content} ${at}` }),
    );
    const search = found({ query: 'What did Ann buy for the hall of her house in Oslo?', episodes });
    const context = await memoryContext(search, {
      budget: CONTEXT_TOKENS,
      countTokens: (text) => counter.count(text),
    });
    expect(context.leftOut).toBeGreaterThan(0);
    expect(context.tokens).toBeGreaterThan(0.97 * CONTEXT_TOKENS);
    const input = { sources: context.sources, question: search.query, now: NOON };
    const { system, user } = answerQuestion.render(input);
    expect(await counter.count(`${system}\n${user}`)).toBeLessThanOrEqual(4_500);
  });

  it('comes from a server, through the whole of the protocol', async () => {
    await using lab = await openLab('openai', {
      server: { reply: () => 'HOLDS\nOslo [1]' },
    });
    const answer = await llmAnswer(SEARCH, { model: lab.model, now: NOON });
    expect(answer).toMatchObject({ answered: true, text: 'Oslo [1]' });
    expect(answer.usage.promptTokens).toBe(SEARCH.usage.promptTokens + lab.server.charged.promptTokens);
  });

  it('comes up while it is written', async () => {
    const said = 'HOLDS\nOslo [1], with a dog [2] since June';
    const pieces: string[] = [];
    const model = new FakeLanguageModel(() => said);
    const { text } = await llmAnswer(SEARCH, { model, now: NOON, onText: (piece) => pieces.push(piece) });
    expect(pieces).toEqual(['Oslo [1]', ', with a dog [2]', ' since June']);
    expect(pieces.join('')).toBe(text);
  });

  it.each([
    'FAILS\nNOT_ENOUGH [1]',
    'FAILS\nParis',
    'HOLDS\nNOT_ENOUGH [1]',
    'HOLDS\nParis [9], or Rome',
    'HOLDS',
  ])('shows nothing of an abstention: %j', async (said) => {
    const model = new FakeLanguageModel(() => said);
    const onText = () => expect.fail('shown');
    expect((await llmAnswer(SEARCH, { model, now: NOON, onText })).answered).toBe(false);
  });
});

describe('a reply as it grows', () => {
  const sources = [1, 2, 3].map((number) => ({
    number,
    item: factItem(`f${number}`, 'Fact'),
    line: '',
    text: '',
    heading: null,
    repeated: [],
  }));
  const word = fc.constantFrom(
    'Oslo',
    '**',
    ' ',
    '\n',
    '[1]',
    '[2, 9]',
    '[3',
    ']',
    '[7]',
    ', ',
    'HOLDS\n',
    'fails',
    'NOT_ENOUGH',
    ': ',
  );

  it('shows how its text will begin, whatever the pieces, and nothing of an abstention', () => {
    fc.assert(
      fc.property(fc.array(word, { maxLength: 14 }), fc.array(fc.nat(6), { maxLength: 8 }), (words, cuts) => {
        const reply = words.join('');
        const growing = new GrowingReply(sources);
        let shown = '';
        let rest = reply;
        for (const cut of cuts) {
          shown += growing.add(rest.slice(0, cut));
          rest = rest.slice(cut);
        }
        shown += growing.add(rest);
        expect(growing.shown).toBe(shown);
        const { text, citations, abstains } = readAnswerReply(reply, sources);
        if (abstains || citations.length === 0) expect(shown).toBe('');
        expect(text.startsWith(shown)).toBe(true);
      }),
      {
        ...{ numRuns: 2_000, seed: 20_261_129 },
        examples: [
          [['**', '\n', 'HOLDS\n', '[2, 9]'], [3]],
          [
            ['HOLDS\n', '[1]', '[2, 9]', ']', '[1]'],
            [1, 1, 6, 2, 1, 4],
          ],
        ],
      },
    );
  });

  it.each([
    ['HOLDS\nOslo', 'Oslo', 'holds'],
    ['Premise: holds\n\nOslo', 'Oslo', 'holds'],
    ['Unclear.\nOslo', 'Oslo', 'unclear'],
    ['**Fails**\nOslo', 'Oslo', 'fails'],
    ['Fails: Oslo', 'Oslo', 'fails'],
    ['FAILS. Bob lives in Oslo', 'Bob lives in Oslo', 'fails'],
    ['FAILS - Bob does', 'Bob does', 'fails'],
    ['Holds a degree', 'Holds a degree', 'holds'],
    ['Oslo\nFAILS', 'Oslo\nFAILS', 'holds'],
    ['{"answer": "Oslo [1]"}', 'Oslo [1]', 'holds'],
    ['```json\n{"answer": "Oslo [1]"}\n```', 'Oslo [1]', 'holds'],
    ['Here it is:\n```json\n{"answer": "Oslo [1]"}\n```', 'Oslo [1]', 'holds'],
    ['{"premise": "UNCLEAR", "answer": "Oslo", "sources": [2]}', 'Oslo [1]', 'unclear'],
    ['UNCLEAR\n{"answer": "Oslo", "citations": [{"number": 2}]}', 'Oslo [1]', 'unclear'],
    ['{"result": {"response": "Oslo [1]"}}', 'Oslo [1]', 'holds'],
    ['{"city": "Oslo [1]"}', 'Oslo [1]', 'holds'],
    ['[{"answer": "Oslo [1]"}]', 'Oslo [1]', 'holds'],
    ['```\nHOLDS\nOslo [1]\n```', 'Oslo [1]', 'holds'],
    ['HOLDS\n```\nOslo [1]\n```', 'Oslo [1]', 'holds'],
    ['HOLDS\n```\nnpm test\n``` [1]', '```\nnpm test\n``` [1]', 'holds'],
  ])('reads %j', (reply, text, premise) => {
    expect(readAnswerReply(reply, sources)).toMatchObject({ text, premise });
  });
});

describe('citations of a model', () => {
  const sources = [1, 2, 3].map((number) => ({
    number,
    item: factItem(`f${number}`, `Fact ${number}`),
    ...{ line: '', text: '', heading: null, repeated: [] },
  }));

  it.each<[answer: string, text: string, ids: string[], unknown: number]>([
    ['Oslo [2]', 'Oslo [1]', ['f2'], 0],
    ['Oslo [3], a city [1]', 'Oslo [1], a city [2]', ['f3', 'f1'], 0],
    ['Oslo [1, 2; 9]', 'Oslo [1] [2]', ['f1', 'f2'], 1],
    ['Oslo [7] [3][3]', 'Oslo [1] [1]', ['f3'], 1],
    ['[sic] Oslo [1]', '[sic] Oslo [1]', ['f1'], 0],
    ['Oslo [1-3]', 'Oslo [1] [2] [3]', ['f1', 'f2', 'f3'], 0],
    ['Oslo [1–2]', 'Oslo [1] [2]', ['f1', 'f2'], 0],
    ['Oslo [ 2 ]', 'Oslo [1]', ['f2'], 0],
    ['Oslo [2 and 3]', 'Oslo [1] [2]', ['f2', 'f3'], 0],
    ['Oslo [#2]', 'Oslo [1]', ['f2'], 0],
    ['Oslo [[2]]', 'Oslo [1]', ['f2'], 0],
    ['Oslo \\[2\\]', 'Oslo [1]', ['f2'], 0],
    ['Oslo [2](#2), a city', 'Oslo [1], a city', ['f2'], 0],
    ['Oslo [source 2]', 'Oslo [1]', ['f2'], 0],
    ['Oslo [Sources: 2, 3]', 'Oslo [1] [2]', ['f2', 'f3'], 0],
    ['Oslo [Source 2: Ann, 3 May]', 'Oslo [1]', ['f2'], 0],
    ['Oslo [cite: 2]', 'Oslo [1]', ['f2'], 0],
    ['Oslo [ref. 2]', 'Oslo [1]', ['f2'], 0],
    ['Oslo (source 2).', 'Oslo [1].', ['f2'], 0],
    ['Oslo (see sources 2 and 3)', 'Oslo [1] [2]', ['f2', 'f3'], 0],
    ['Oslo 【2】', 'Oslo [1]', ['f2'], 0],
    ['Oslo【2†L1-L3】', 'Oslo [1]', ['f2'], 0],
    ['Oslo 【2:0†source】【3】', 'Oslo [1] [2]', ['f2', 'f3'], 0],
    ['Oslo ［2］', 'Oslo [1]', ['f2'], 0],
    ['Oslo[^2]', 'Oslo [1]', ['f2'], 0],
    ['Oslo.[^2]\n\n[^2]: Fact 2', 'Oslo. [1]', ['f2'], 0],
    ['Oslo<sup>2</sup>', 'Oslo [1]', ['f2'], 0],
    ['Oslo <cite>2</cite>', 'Oslo [1]', ['f2'], 0],
    ['She lives in Oslo.²', 'She lives in Oslo. [1]', ['f2'], 0],
    ['She lives in Oslo² since May³.', 'She lives in Oslo [1] since May [2].', ['f2', 'f3'], 0],
    ['She lives in Oslo (2).', 'She lives in Oslo [1].', ['f2'], 0],
    ['She lives in Oslo. 2', 'She lives in Oslo. [1]', ['f2'], 0],
    ['She lives in Oslo.\n\nSources: 2, 3', 'She lives in Oslo. [1] [2]', ['f2', 'f3'], 0],
    ['She lives in Oslo. Source: 2.', 'She lives in Oslo. [1]', ['f2'], 0],
    // No citations.
    ['A flat of 60 m² [2]', 'A flat of 60 m² [1]', ['f2'], 0],
    ['Two cats (2) and a dog [3]', 'Two cats (2) and a dog [1]', ['f3'], 0],
    ['On [2024-05-12] in Oslo [3]', 'On [2024-05-12] in Oslo [1]', ['f3'], 0],
    ['A flat of 60 m²', 'A flat of 60 m²', [], 0],
    ['She has 2 cats', 'She has 2 cats', [], 0],
    ['She was born in Oslo in 1990.', 'She was born in Oslo in 1990.', [], 0],
  ])('%s', (answer, text, ids, unknown) => {
    const read = readCitations(answer, sources);
    expect(read).toMatchObject({ text, unknown });
    expect(read.citations.map(({ item }) => item.id)).toEqual(ids);
    expect(read.citations.map(({ number }) => number)).toEqual(ids.map((_, at) => at + 1));
  });
});

describe('a memory with a language model', () => {
  const asked =
    (model: LanguageModel, more: object = {}) =>
    async () => {
      const nora = await noraStory();
      const view = { ...(await nora.view()), languageModel: model };
      const settings = {
        recipe: recipeFrom('system1'),
        k: 10,
        times: readLookBack({}),
        clock: () => nora.clock,
      };
      return askMemory(view, 'Where does Nora live?', { ...settings, ...more });
    };
  const ghent = new FakeLanguageModel(() => 'HOLDS\nGhent [1]');

  it('has it answer', async () => {
    expect(await asked(ghent)()).toMatchObject({ text: 'Ghent [1]', answerer: 'llm' });
  });

  it('is heard at each step', async () => {
    const heard: string[] = [];
    const listener = { onFound: () => heard.push('found'), onText: (text: string) => heard.push(text) };
    await asked(ghent, listener)();
    await asked(ghent, { ...listener, answerer: 'local' })();
    expect(heard).toEqual(['found', 'Ghent [1]', 'found', expect.stringMatching(/^Nora lives in Ghent\./)]);
  });

  it('is not streamed to nobody: what was passed on could not be asked again', async () => {
    const listening: boolean[] = [];
    const model = new FakeLanguageModel(() => 'HOLDS\nGhent [1]');
    const text = model.text.bind(model);
    model.text = (prompt, input, options) => {
      listening.push(options?.onText !== undefined);
      return text(prompt, input, options);
    };
    await asked(model)();
    await asked(model, { onText: () => undefined })();
    expect(listening).toEqual([false, true]);
  });

  it('reports what each part of its prompt took', async () => {
    const { trace } = await asked(ghent, { traced: true })();
    const { rules, memory, question } = trace!.prompt!;
    expect([rules > 400, memory > 10, question > 10]).toEqual([true, true, true]);
  });

  it('tells what could not be searched', async () => {
    const { answered, notes } = await asked(ghent, { routeMilliseconds: 0, answerer: 'local' })();
    expect([answered, notes]).toEqual([
      false,
      ['the route system1 was late (route-late): its results are missing'],
    ]);
  });

  it('begins anew in its own words where the model breaks off', async () => {
    const heard: string[] = [];
    const broken = new FakeLanguageModel(() => 'HOLDS\nGhent [1] since');
    const text = broken.text.bind(broken);
    broken.text = async (...call) => {
      await text(...call);
      throw new ModelDeclinedError('m', 'model');
    };
    const answer = await asked(broken, { onText: (piece: string) => heard.push(piece) })();
    expect(heard).toEqual(['Ghent [1]']);
    expect(answer).toMatchObject({ answerer: 'local', notes: [expect.stringContaining('failed')] });
  });

  it('quotes itself where the caller wants that', async () => {
    const model = new FakeLanguageModel(() => expect.fail('asked'));
    expect(await asked(model, { answerer: 'local' })()).toMatchObject({
      text: expect.stringMatching(/^Nora lives in Ghent\. \[1\]/),
      answerer: 'local',
      notes: [],
    });
  });

  it.each<[what: string, said: string, note: RegExp]>([
    ['is empty', '', /has no text to read; this answer quotes memory$/],
    ['cites nothing', 'HOLDS\nGhent', /cites no source; this answer quotes memory$/],
    ['is JSON without an answer', '{}', /has no text to read; this answer quotes memory$/],
  ])('quotes itself where the answer of the model %s', async (_, said, note) => {
    const heard: string[] = [];
    const model = new FakeLanguageModel(() => said);
    const answer = await asked(model, { onText: (piece: string) => heard.push(piece) })();
    expect(answer).toMatchObject({
      answerer: 'local',
      text: expect.stringMatching(/^Nora lives in Ghent\. \[1\]/),
    });
    expect(answer.notes).toEqual([expect.stringMatching(note)]);
    expect(heard.join('')).toBe(answer.text);
    expect(answer.usage.calls).toBe(said.includes('Ghent') ? 2 : 1);
  });

  it.each<[what: string, reply: object, note: RegExp]>([
    ['reasoning alone', { says: '<think>It says Ghent [1] so' }, /has no text/],
    [
      'an answer that is cut before its citation',
      { fault: { kind: 'truncated', part: 0.4 } },
      /limit of tokens/,
    ],
  ])('quotes itself where a server sends %s', async (_, sent, note) => {
    await using lab = await openLab('openai', { server: { reply: () => 'HOLDS\nNora lives in Ghent [1]' } });
    lab.server.enqueue(sent);
    const answer = await asked(lab.model)();
    expect(answer).toMatchObject({
      answerer: 'local',
      text: expect.stringMatching(/^Nora lives in Ghent\. \[1\]/),
    });
    expect(answer.notes.join('; ')).toMatch(note);
  });

  it('says where the model repeated itself', async () => {
    const said = `HOLDS\n${'Nora lives in Ghent [1]. '.repeat(50)}`;
    await using lab = await openLab('openai', { server: { reply: () => said } });
    const pieces: string[] = [];
    const answer = await asked(lab.model, { onText: (piece: string) => pieces.push(piece) })();
    expect(answer).toMatchObject({ answerer: 'llm', text: 'Nora lives in Ghent [1].' });
    expect(answer.notes).toEqual([expect.stringMatching(/repeated itself/)]);
    expect(pieces.join('')).toBe(answer.text);
  });

  it('quotes itself where the model fails, and says so', async () => {
    await using lab = await openLab('openai', { server: { models: ['another'] } });
    expect(await asked(lab.model)()).toMatchObject({
      text: expect.stringMatching(/^Nora lives in Ghent\. \[1\]/),
      answerer: 'local',
      notes: ['the language model failed (unknown-model); this answer quotes memory'],
    });
    const budget = new TokenBudget(3);
    expect(await asked(ghent, { budget })()).toMatchObject({
      answerer: 'local',
      notes: [expect.stringContaining('budget')],
    });
  });

  it('does not hide a cancel or a defect', async () => {
    const signal = AbortSignal.abort();
    await expect(asked(ghent, { signal })()).rejects.toMatchObject({ code: 'cancelled' });
    const broken = new FakeLanguageModel(() => {
      throw new TypeError('a defect');
    });
    await expect(asked(broken)()).rejects.toThrow('a defect');
  });
});
