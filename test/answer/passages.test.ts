import { describe, expect, it } from 'vitest';
import { told } from './told.ts';

const memory = await told([
  ['2026-03-01', 'Pia', 'What tunes are you listening to these days?'],
  ['2026-03-01', 'Deniz', "Lately, I've been getting into folk metal."],
  ['2026-03-08', 'Pia', 'What a day! Last week my cellar got flooded, but thankfully I saved the records.'],
  ['2026-03-08', 'Deniz', 'Oh no, that is rough!'],
  ['2026-03-15', 'Pia', 'Look at this! It means the world to me.', 'a photo of a silver bracelet'],
  ['2026-03-15', 'Deniz', 'Beautiful! Where did you get it?'],
  ['2026-03-15', 'Pia', 'I got it from another potter as a gift.'],
  ['2026-03-20', 'Deniz', 'What is the hardest part of restoring clocks?'],
  ['2026-03-20', 'Pia', 'It takes a lot of patience. Getting the springs right is not easy.'],
  ['2026-03-22', 'Pia', 'I love to see their faces when the clock ticks again. Makes me so proud!'],
  ['2026-03-22', 'Deniz', 'I bet.'],
  ['2026-04-02', 'Deniz', 'That poster reminds me of one of my favourite films.'],
  ['2026-04-02', 'Pia', 'Which one?'],
  ['2026-04-02', 'Deniz', 'Paddington is one of my favourites!'],
  ['2026-04-06', 'Deniz', 'I won a chess cup on Sunday!'],
  ['2026-04-06', 'Pia', 'Congrats!'],
  ['2026-05-04', 'Deniz', 'I won another chess cup yesterday!'],
  ['2026-05-10', 'Deniz', 'I have never been to Norway, sadly.'],
  ['2026-05-10', 'Pia', 'I went there as a student.'],
  ['2026-05-12', 'Deniz', 'Did your sister come along to the lake?'],
  ['2026-05-12', 'Pia', 'No, she had to work.'],
  ['2026-05-14', 'Pia', 'I promised Omar to lend him my tent.'],
  ['2026-05-14', 'Deniz', 'Nice of you. I was at the rooftop bar with Omar and Ines.'],
  ['2026-05-16', 'Pia', 'Noor hates carrots.'],
  ['2026-05-16', 'Deniz', 'Noor used to smoke.'],
  ['2026-05-18', 'Pia', 'I moved to Ghent in May 2023.'],
  ['2026-05-18', 'Deniz', 'I want to visit Iceland.'],
  ['2026-05-19', 'Deniz', 'Tom is allergic to nuts.'],
]);

describe('a quote is the whole thought', () => {
  it.each([
    [
      'with the question that it replies to',
      'What is the hardest part of restoring clocks according to Pia?',
      /restoring clocks\?” – Pia: “It takes a lot of patience\. Getting the springs right is not easy/,
    ],
    [
      'with the next sentence',
      'What emotion does Pia feel when she sees their faces?',
      /their faces when the clock ticks again\. Makes me so proud!/,
    ],
    [
      'over three turns',
      'Which film did Deniz mention as a favourite?',
      /favourite films\.” – Pia: “Which one\?” – Deniz: “Paddington/,
    ],
    [
      'with what is asked of an “it”',
      'What did Pia receive as a gift from another potter?',
      /Deniz: “Where did you get it\?” – Pia: “I got it from another potter as a gift/,
    ],
  ])('%s: %s', async (_, question, words) => {
    expect((await memory.ask(question)).text).toMatch(words);
  });

  it('is alone where it says all', async () => {
    const { citations } = await memory.ask('When did Pia move to Ghent?');
    expect(citations).toHaveLength(1);
  });
});

describe('a verdict', () => {
  it.each([
    ['Has Deniz been to Norway?', 'No', /never been to Norway/],
    ['Did Pia’s sister come along to the lake?', 'No', /No, she had to work/],
    ['Does Noor like carrots?', 'No', /hates carrots/],
    ['Does Noor hate carrots?', 'Yes', /hates carrots/],
    ['Does Noor smoke?', 'No', /used to smoke/],
    ['Did Noor smoke?', 'Yes', /used to smoke/],
    ['Did Deniz win a chess cup?', 'Yes', /chess cup/],
    ['How long has Pia lived in Ghent?', 'About 3 years', /moved to Ghent in May 2023/],
    ['How many chess cups has Deniz won?', 'At least 2', /\n- .*chess cup.*\n- .*chess cup/s],
  ])('%s %s', async (question, verdict, words) => {
    const answer = await memory.ask(question);
    expect(answer.text).toMatch(words);
    expect({ verdict: answer.verdict, start: answer.text.slice(0, verdict.length) }).toEqual({
      verdict,
      start: verdict,
    });
  });

  it.each(['Has Deniz visited Iceland?', 'Would Deniz like to visit Iceland?', 'What did Deniz win?'])(
    'is not given where nothing decides: %s',
    async (question) => expect((await memory.ask(question)).verdict).toBeUndefined(),
  );
});

describe('the premise', () => {
  it.each([
    ['a noun of kind', 'What type of music has Deniz been getting into lately?', /folk metal/],
    ['a place that nobody names', 'When did Pia’s cellar get flooded in Tokyo?', /cellar got flooded/],
  ])('is not broken by %s: %s', async (_, question, words) => {
    expect((await memory.ask(question)).text).toMatch(words);
  });

  it.each([
    ['another person', 'What did Deniz receive as a gift from another potter?'],
    ['somebody who is nowhere', 'What did Pia receive as a gift from the chef?'],
    ['another place', 'When did Pia move to Tokyo?'],
    ['what is told of somebody else', 'What is Deniz allergic to?'],
  ])('is broken by %s: %s', async (_, question) => {
    expect(await memory.ask(question)).toMatchObject({ answered: false, citations: [] });
  });

  it('leaves what was found apart from an answer', async () => {
    const { found, text } = await memory.ask('What did Pia receive as a gift from the chef?');
    expect(found?.quote).toContain('as a gift');
    expect(text).not.toContain('gift');
    expect((await memory.ask('What does Noor hate?')).found).toBeUndefined();
  });
});
