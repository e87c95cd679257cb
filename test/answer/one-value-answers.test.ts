import { afterAll, describe, expect, it } from 'vitest';
import { Mnemis } from '../../src/engine.ts';
import type { TurnInput } from '../../src/model/turn-input.ts';

const engine = await Mnemis.open({ path: ':memory:' });
afterAll(() => engine.close());

let count = 0;
async function answer(
  told: readonly string[],
  question: string,
  by: Partial<TurnInput> = {},
): Promise<string> {
  const memory = engine.scope(`scope-${++count}`);
  for (const [at, content] of told.entries())
    await memory.add({ content, speaker: 'Ann', session: `s${at}`, at: `2026-0${at + 1}-02T09:00Z`, ...by });
  await memory.flush();
  return (await memory.ask(question)).text;
}

const FORMER = / \(since 2 February 2026; before: (?<former>.+?) \[2\]\)/;

describe('the newest of two values is answered, the former with "before"', () => {
  it.each([
    [['My name is Guoyu Li.', 'My name is Guosong Li.'], 'What is my name?', 'Guosong', 'Guoyu'],
    [['My e-mail is a@x.org.', 'Change my e-mail to b@y.org.'], 'What is my e-mail?', 'b@y.org', 'a@x.org'],
    [
      ['My job title is data analyst.', 'My job title is team lead.'],
      'What is my job title?',
      'lead',
      'analyst',
    ],
    [
      ['My favorite color is blue.', 'My favorite color is green.'],
      'What is my favorite color?',
      'green',
      'blue',
    ],
    [['I have 2 kids.', 'I have 3 kids now.'], 'How many kids do I have?', '3', '2'],
    [['I weigh 80 kg.', 'I weigh 76 kg now.'], 'How much do I weigh?', '76', '80'],
    [['I own two cats.', 'I own four cats now.'], 'How many cats do I own?', 'four', 'two'],
    [['I drive a Fiat.', 'I drive a Volvo now.'], 'What car do I drive?', 'Volvo', 'Fiat'],
    [['Device A is a Synology NAS.', 'Device A is now a fnOS NAS.'], 'What is Device A?', 'fnOS', 'Synology'],
    [
      ['The meeting is on Monday.', 'The meeting is on Thursday.'],
      'When is the meeting?',
      'Thursday',
      'Monday',
    ],
    [['The deadline is 5 May.', 'The deadline is 12 May.'], 'When is the deadline?', '12 May', '5 May'],
    [['The server runs Debian 11.', 'The server runs Debian 12.'], 'What does the server run?', '12', '11'],
    [['I live in Oslo.', 'I moved to Kenya.'], 'Where do I live?', 'Kenya', 'Oslo'],
    [['I live in Oslo.', 'I moved to Aalst.'], 'Where do I live?', 'Aalst', 'Oslo'],
  ] as const)('%s', async (told, question, newest, former) => {
    const text = await answer(told, question);
    const before = FORMER.exec(text)?.groups?.former;
    expect(before).toContain(former);
    expect(text.replace(FORMER, '')).toContain(newest);
    expect(text.replace(FORMER, '')).not.toContain(former);
  });

  it('is believed alone after a correction in a later session', async () => {
    const text = await answer(
      ['Device A is a Synology NAS.', 'Correction: Device A is a fnOS NAS, not a Synology NAS.'],
      'What is Device A?',
    );
    expect(text).toMatch(/^Device A is a fnOS NAS\. \[1\]$/);
  });

  it.each<Partial<TurnInput>>([
    { role: 'assistant', speaker: 'assistant', trust: 'low' },
    { role: 'assistant', speaker: 'assistant' },
    { role: 'user', speaker: 'user' },
    { role: 'user', speaker: 'Ann' },
  ])('of the user, as told by %o', async (by) => {
    const told = [
      [
        ['The user lives in New York.', 'The user moved to Los Angeles.'],
        'Where does the user live?',
        'Los Angeles',
      ],
      [['Lives in Bern', 'Lives in Zurich'], 'Where does the user live?', 'Zurich'],
      [
        ['User prefers dark mode.', 'User prefers light mode now.'],
        'Which mode does the user prefer?',
        'light',
      ],
      [["User's name is Sam.", "User's name is Samira."], "What is the user's name?", 'Samira'],
      [['The user works at Globex.', 'The user works at Initech.'], 'Where does the user work?', 'Initech'],
      [['Has two kids', 'Has three kids'], 'How many kids does the user have?', 'three'],
    ] as const;
    for (const [texts, question, newest] of told) {
      const text = await answer(texts, question, by);
      expect(text).toMatch(FORMER);
      expect(text.replace(FORMER, '')).toContain(newest);
    }
  });

  it('of the only person who speaks, whom an assistant calls the user in another session', async () => {
    const memory = engine.scope('noted');
    const noted = { speaker: 'assistant', role: 'assistant' } as const;
    await memory.add('I live in Ghent.', { speaker: 'Ann', session: 'a', at: '2026-01-02T09:00Z' });
    await memory.flush();
    await memory.add('The user moved to Lisbon.', { ...noted, session: 'b', at: '2026-02-02T09:00Z' });
    await memory.flush();
    for (const question of ['Where does Ann live?', 'Where does the user live?', 'Where do I live?'])
      expect((await memory.ask(question)).text).toMatch(
        /^Ann moved to Lisbon\. \[1\] \(since .*before: .*Ghent/,
      );
  });
});
