import { afterEach, describe, expect, it } from 'vitest';
import { Mnemis, type OpenOptions } from '../../src/engine.ts';
import type { LanguageModel } from '../../src/inference/language-model.ts';
import { createLanguageModel } from '../../src/inference/models/create-language-model.ts';
import { MnemisRetriever } from '../../src/langchain/index.ts';
import { FakeLanguageModel } from '../fakes/language-model/fake-language-model.ts';
import { ScriptedOpenAiServer } from '../fakes/openai-server/scripted-openai-server.ts';

const QUESTION = 'Which illness did Ada have?';
const FEVER = 'The doctor says glandular fever, so no football until March.';
const TALK = [
  FEVER,
  'We painted the kitchen yellow.',
  'An illness of the vines ruined the harvest.',
  'Which train did you take?',
];
const WORDINGS = { wordings: ['the doctor says it is a fever', ' ', 'off sick, in bed with a virus'] };

let engine: Mnemis | null = null;
afterEach(() => engine?.close());

async function told(options: Partial<OpenOptions>) {
  engine = await Mnemis.open({ path: ':memory:', automatic: false, ...options });
  const memory = engine.scope('ada');
  await memory.add(TALK.map((content) => ({ content, speaker: 'Ada', session: content })));
  return memory;
}

/** A model that rewrites, and keeps the prompts that it saw. */
function rewriting(reply: () => unknown = () => WORDINGS) {
  const prompts: string[] = [];
  const model: LanguageModel = new FakeLanguageModel(({ name, system, user }) => {
    prompts.push(`${name}: ${system}\n${user}`);
    return name === 'rewrite-question' ? reply() : 'HOLDS\nA fever [1].';
  });
  return { languageModel: model, prompts };
}

describe('a question that a language model rewrites', () => {
  it('is searched in its other wordings by a retriever that was made so', async () => {
    const memory = await told({ languageModel: rewriting().languageModel });
    const found = await new MnemisRetriever({ memory, k: 1, rewrite: true }).invoke(QUESTION);
    expect(found.map(({ pageContent }) => pageContent)).toEqual([`Ada: ${FEVER}`]);
  });

  it('is searched in its other wordings too, and says so', async () => {
    const memory = await told({ languageModel: rewriting().languageModel });
    const plain = await memory.search(QUESTION);
    expect(plain.episodes[0]?.content).not.toBe(FEVER);
    expect(plain.rewritten).toBeUndefined();
    const found = await memory.search(QUESTION, { rewrite: true });
    expect(found.episodes[0]?.content).toBe(FEVER);
    expect(found.query).toBe(plain.query);
    expect(found.rewritten).toMatchObject({
      wordings: ['the doctor says it is a fever', 'off sick, in bed with a virus'],
      failure: null,
      usage: { calls: 1 },
    });
    expect(found.usage.calls).toBe(1);
  });

  it('is rewritten once, from the question alone', async () => {
    const { languageModel, prompts } = rewriting();
    const memory = await told({ languageModel });
    await memory.search(QUESTION, { rewrite: true });
    const again = await memory.search(QUESTION, { rewrite: true, k: 2 });
    expect(again.rewritten).toMatchObject({ wordings: expect.any(Array), usage: { calls: 0 } });
    expect(prompts).toHaveLength(1);
    expect(prompts[0]).toContain(QUESTION);
    await memory.search('What do I owe?', { rewrite: true });
    for (const text of [...TALK, 'Ada']) expect(prompts[1]).not.toContain(text);
    await memory.ask('And Ben?', { rewrite: true, earlier: ['What does Carla owe?'] });
    expect(prompts[2]).toContain('What does Ben owe?');
  });

  it('is rewritten again after a forgetting, which drops what texts hold', async () => {
    const { languageModel, prompts } = rewriting();
    const memory = await told({ languageModel });
    const { episodes } = await memory.search(QUESTION, { rewrite: true });
    await memory.forget({ episodes: [episodes.at(-1)!.id] });
    await memory.search(QUESTION, { rewrite: true });
    expect(prompts.filter((prompt) => prompt.startsWith('rewrite-question'))).toHaveLength(2);
  });

  it('stays as it is where there is no model or the model fails', async () => {
    const without = await told({});
    const plain = await without.search(QUESTION);
    const found = await without.search(QUESTION, { rewrite: true });
    expect(found.rewritten).toMatchObject({ wordings: [], failure: 'no-model' });
    expect(found.ranked).toEqual(plain.ranked);
    const failing = await told({
      languageModel: rewriting(() => {
        throw new TypeError('a defect');
      }).languageModel,
    });
    const kept = await failing.search(QUESTION, { rewrite: true });
    expect(kept.rewritten).toMatchObject({ wordings: [], failure: 'unexpected' });
    expect(kept.episodes.map(({ content }) => content)).toEqual(plain.episodes.map(({ content }) => content));
  });

  it('is answered from what its other wordings find; a failure is a note', async () => {
    const memory = await told({ languageModel: rewriting().languageModel });
    const plain = await memory.ask(QUESTION);
    expect(Object.keys(plain.byStage ?? {})).toEqual(['answer-question']);
    const answer = await memory.ask(QUESTION, { rewrite: true });
    expect(answer.search.episodes[0]?.content).toBe(FEVER);
    expect(answer.byStage).toMatchObject({
      'rewrite-question': { calls: 1 },
      'answer-question': { calls: 1 },
    });
    const local = await told({});
    const { notes } = await local.ask(QUESTION, { rewrite: true });
    expect(notes).toContain('the question was not rewritten (no-model): it was searched as it is');
  });
});

describe('a question that a server rewrites', () => {
  it('is asked for in a schema, and is left as it is when the server is late or answers nonsense', async () => {
    await using server = await ScriptedOpenAiServer.start({ reply: () => WORDINGS });
    const languageModel = createLanguageModel({
      provider: 'openai-compatible',
      model: 'test',
      baseUrl: `${server.url}/v1`,
    });
    const memory = await told({ languageModel });
    const found = await memory.search(QUESTION, { rewrite: true });
    expect(found.rewritten?.failure).toBeNull();
    expect(found.episodes[0]?.content).toBe(FEVER);
    server.enqueue({ fault: { kind: 'hang' } });
    const late = await memory.search('Who paid last?', { rewrite: true, routeMilliseconds: 200 });
    expect(late.rewritten).toMatchObject({ wordings: [], failure: 'route-late' });
    server.enqueue({ says: 'no' }, { says: 'no' }, { says: 'no' }, { says: 'no' });
    const odd = await memory.search('Who paid?', { rewrite: true });
    expect(odd.rewritten).toMatchObject({ wordings: [], failure: 'malformed-reply' });
  });
});
