import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { describeAnswer } from '../../../main/cli/commands/ask.ts';
import { describeCount } from '../../../main/cli/commands/search.ts';
import { CommandConsole } from '../../../main/cli/console.ts';
import { DEMO_SESSIONS } from '../../../main/cli/demo/conversation.ts';
import { describeFound } from '../../../main/cli/describe-item.ts';
import type { GivenAnswer } from '../../../src/answer/given-answer.ts';
import { Mnemis } from '../../../src/engine.ts';
import { maskRecalled } from '../../../src/ingest/admit/mask-recalled.ts';
import { RecalledTexts } from '../../../src/ingest/admit/recalled-texts.ts';
import { MnemisRetriever } from '../../../src/langchain/mnemis-retriever.ts';
import type { SearchResult } from '../../../src/model/retrieved-item.ts';

/** A row that was stored then. */
const row = (createdAt: number) => ({ createdAt, id: '' });
const QUESTIONS = [
  'What did Nora draw at the bird sanctuary?',
  'Where did Ilan travel?',
  'Which instrument does Ilan play?',
  'What does Nora eat?',
  'Who repaired the heating?',
];
const NEWS = 'Nora has just sold her first picture book to a publisher in Berlin.';
const LONG = `Here is my whole plan for the exhibition in the old depot, so that you can tell me where it is weak: ${'we hang the drawings in the first hall and '.repeat(8)}then we open. The doors close at six.`;

let engine: Mnemis;
const texts = new RecalledTexts();
const searches: SearchResult[] = [];
const answers: GivenAnswer[] = [];

beforeAll(async () => {
  engine = await Mnemis.open({ path: ':memory:' });
  const memory = engine.scope('demo');
  const turns = DEMO_SESSIONS.flatMap(({ name, at, lines }) =>
    lines.map((line, index) => {
      const [speaker, content] = [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)];
      return { session: name, at, index, speaker, content };
    }),
  );
  const attachments = [{ kind: 'photo', description: 'a sketch of three owls. One sleeps.' }];
  const plan = { session: 'plan', at: '2026-07-01', index: 0, speaker: 'Nora', content: LONG, attachments };
  await memory.add([...turns, plan]);
  await memory.flush();
  for (const { content } of turns) texts.add('turn', content, row(1));
  texts.add('turn', LONG, row(1));
  texts.add('turn', attachments[0]!.description, row(1));
  for (const question of [...QUESTIONS, 'What is the plan for the exhibition in the depot?']) {
    searches.push(await memory.search(question));
    answers.push(await memory.ask(question));
  }
  for (const { facts, entities } of searches) {
    for (const { statement } of facts) texts.add('fact', statement, row(1));
    for (const { summary } of entities) texts.add('profile', summary, row(1));
  }
});
afterAll(() => engine.close());

const terminal = { stdout: process.stdout, stderr: process.stderr, env: { NO_COLOR: '1' } };
const console = new CommandConsole(
  { ...terminal, cwd: () => '', once: () => 0, removeListener: () => 0 },
  false,
);

/** The output of `mnemis search`, and of `mnemis search --verbose`. */
function printed(found: SearchResult, isVerbose: boolean): string {
  const count = found.episodes.length + found.facts.length + found.entities.length;
  const shown = { most: isVerbose ? count : undefined, reasons: isVerbose };
  const { lines, hidden } = describeFound(found, shown, console);
  return [...lines, describeCount(found, hidden)].join('\n');
}

function expectOnlyNews(pasted: string): void {
  for (const role of ['user', 'assistant', 'system', 'tool', 'other'] as const) {
    expect(maskRecalled({ content: pasted, role, ...row(2) }, texts), role).toEqual({
      content: '',
      share: 1,
    });
    for (const mixed of [`${NEWS}\n\n${pasted}`, `${pasted}\n\n${NEWS}`])
      expect(maskRecalled({ content: mixed, role, ...row(2) }, texts).content, role).toBe(NEWS);
  }
}

describe('output of memory that is fed back', () => {
  it('has output of every kind', () => {
    expect(
      searches.every(({ episodes, facts, entities }) => episodes.length * facts.length * entities.length > 0),
    ).toBe(true);
    expect(answers.filter(({ answered }) => answered).length).toBeGreaterThan(2);
    expect(searches.map((each) => printed(each, true)).join('\n')).toMatch(
      /Nora: Here is my whole plan .*…\n/,
    );
  });

  it('search results of the command line', () => {
    for (const search of searches)
      for (const isVerbose of [true, false]) expectOnlyNews(printed(search, isVerbose));
  });

  it('answers, alone and with their sources', () => {
    for (const answer of answers.filter(({ answered }) => answered)) {
      expectOnlyNews(answer.text);
      for (const isVerbose of [true, false])
        expectOnlyNews(describeAnswer(answer, console, isVerbose).join('\n'));
    }
  });

  it.each([
    ['former states', 'Ana now lives in Ghent. [1] (since 2 May 2026; before: Oslo [2])'],
    ['periods', 'Ana now lives in Ghent. (2026-05-02 to 2026-06-01) [1]'],
    ['block quotations', 'Ana:\n\n> We need these things today:\n> - milk\n\n[1]'],
    ['resolved dates', 'Ana: “I saw the owls last Sunday (4 January 2026).” [1]'],
  ])('%s', (_, pasted) => {
    const held = new RecalledTexts();
    held.add('fact', 'Ana now lives in Ghent', row(1));
    held.add('turn', 'We need these things today:\n- milk', row(1));
    held.add('turn', 'I saw the owls last Sunday.', row(1));
    for (const role of ['user', 'assistant'] as const)
      expect(maskRecalled({ content: pasted, role, ...row(2) }, held).content).toBe('');
  });

  it('documents of the retriever, joined as chains do', async () => {
    const retriever = new MnemisRetriever({
      memory: engine.scope('demo'),
      kinds: ['fact', 'entity', 'episode'],
    });
    const documents = await retriever.invoke('What is the plan for the exhibition in the depot?');
    expect(documents.some(({ pageContent }) => pageContent.includes('[photo: a sketch'))).toBe(true);
    for (const separator of ['\n', '\n\n'])
      expectOnlyNews(documents.map(({ pageContent }) => pageContent).join(separator));
    expectOnlyNews(documents.map(({ pageContent }, at) => `[${at + 1}] ${pageContent}`).join('\n'));
    expectOnlyNews(
      `<context>\n${documents.map(({ pageContent }) => `- ${pageContent}`).join('\n')}\n</context>`,
    );
  });

  it('does not mask the conversation itself when its speakers repeat it', () => {
    const said = DEMO_SESSIONS.flatMap(({ lines }) => lines.map((line) => line.slice(line.indexOf(':') + 2)));
    const masked = said.filter(
      (content) => maskRecalled({ content, role: 'user', ...row(2) }, texts).share > 0,
    );
    // Only turns with a sentence that memory wrote in the same words.
    const written = searches.flatMap(({ facts, entities }) => [
      ...facts.map(({ statement }) => statement),
      ...entities.map(({ summary }) => summary),
    ]);
    for (const content of masked) {
      const sentences = content.split(/[.!?]+ ?/).filter((sentence) => sentence.split(' ').length > 3);
      expect(
        sentences.some((sentence) => written.some((text) => text.includes(sentence))),
        content,
      ).toBe(true);
    }
    expect(masked.length).toBeLessThan(said.length / 20);
  });
});
