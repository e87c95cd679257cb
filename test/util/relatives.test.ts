import { describe, expect, it } from 'vitest';
import { asToldBy, ownedIn, relativeIn, withOwner, withRelative } from '../../src/util/relatives.ts';
import { growth, LINEAR } from '../fixtures/growth.ts';

const named = (question: string, statements: readonly string[]) =>
  withRelative(question, ownedIn(question)!, statements);

describe('a relative in a question', () => {
  it.each([
    [
      'What does Sanna’s daughter hate?',
      'Sanna’s daughter Alva is seven',
      'What does Sanna’s daughter Alva hate?',
    ],
    ['Where is Sanna’s mother?', 'Mum, that’s Grit, she swims', 'Where is Sanna’s mother Grit?'],
    [
      'What does Iro’s old parrot eat?',
      'Iro has a parrot called Kiki',
      'What does Iro’s old parrot Kiki eat?',
    ],
    ['When did Iro’s boss retire?', 'Lumi is Iro’s boss', 'When did Iro’s boss Lumi retire?'],
    ['Where does Iro’s boss live?', 'Sanna’s boss Lumi is ill', 'Where does Iro’s boss live?'],
    ['How fast is Iro’s car?', 'Iro’s car Volvo', 'How fast is Iro’s car?'],
    ['What is Iro’s wife’s sister called?', 'Iro’s wife Petra', 'What is Iro’s wife Petra’s sister called?'],
  ])('%s', (question, statement, expected) => expect(named(question, [statement])).toBe(expected));

  it('has the name that was told last', () =>
    expect(
      named('Where is Iro’s boss now?', ['Iro’s boss Henrik retired', 'Iro’s new boss is called Lumi']),
    ).toBe('Where is Iro’s boss Lumi now?'));

  it.each([
    [
      'Where is Iro’s husband?',
      ['Iro’s husband Bo', 'Iro’s former husband Al'],
      'Where is Iro’s husband Bo?',
    ],
    ['Where is Iro’s wife?', ['Iro’s wife Bea', 'Iro’s ex-wife Petra'], 'Where is Iro’s wife Bea?'],
    ['Where is Iro’s wife?', ['Iro’s ex wife is called Petra'], 'Where is Iro’s wife?'],
    ['Where is Iro’s boss?', ['Iro’s boss Lumi', 'Henrik was Iro’s boss'], 'Where is Iro’s boss Lumi?'],
    ['Where is Iro’s boss?', ['Iro’s boss Lumi', 'Iro’s old boss Henrik'], 'Where is Iro’s boss Lumi?'],
    ['Where is Iro’s husband?', ['Iro’s husband Bo', 'Iro’s late husband Al'], 'Where is Iro’s husband Bo?'],
    ['Where was Iro’s father born?', ['Iro’s late father Jon'], 'Where was Iro’s father Jon born?'],
    ['Who fed Iro’s late dog?', ['Iro’s late dog Rex', 'Iro’s dog Kiki'], 'Who fed Iro’s late dog Rex?'],
    [
      'Where is Iro’s former boss?',
      ['Iro’s former boss Henrik', 'Iro’s boss Lumi'],
      'Where is Iro’s former boss Henrik?',
    ],
    ['Where is Iro’s ex-wife?', ['Iro’s ex-wife Petra', 'Iro’s wife Bea'], 'Where is Iro’s ex-wife Petra?'],
    ['Where is Iro’s wife?', ['Iro’s wife Petra', 'Petra is Iro’s ex-wife'], 'Where is Iro’s wife?'],
  ])('is not a former one: %s %o', (question, statements, expected) =>
    expect(named(question, statements)).toBe(expected),
  );

  it('keeps its question where the name is asked for', () => {
    expect(ownedIn('What is Sanna’s parrot called?')).toBeNull();
    expect(ownedIn('Who is Iro’s boss?')).toBeNull();
  });

  it('is read from a name, if one relation is told', () => {
    const speakers = ['Sanna', 'Iro'];
    const asked = (...statements: string[]) =>
      withOwner('How old is Alva?', 'Alva', { speakers, statements });
    expect(asked(asToldBy('My daughter Alva swims', 'Sanna'))).toBe('How old is Sanna’s daughter Alva?');
    expect(asked('Sanna’s daughter’s name is Alva')).toBe('How old is Sanna’s daughter Alva?');
    expect(asked('Sanna’s daughter Alva', 'Iro’s niece Alva')).toBe('How old is Alva?');
    expect(asked('Sanna’s former boss Alva')).toBe('How old is Alva?');
    expect(asked('Sanna’s wife Alva', 'Sanna’s ex-wife Alva moved')).toBe('How old is Alva?');
    expect(asked('Sanna’s late wife Alva')).toBe('How old is Sanna’s wife Alva?');
  });

  it('is told by word or by name', () => {
    const isLiving = (noun: string) => noun === 'daughter';
    expect(relativeIn('How old is Sanna’s daughter Alva?', isLiving)).toEqual({
      noun: 'daughter',
      name: 'Alva',
    });
    expect(relativeIn('How was Sanna’s stay in Oulu?', isLiving)).toBeNull();
  });

  it('takes time linear in a long text', () => {
    const read = (size: number) =>
      named('What does Sanna’s daughter hate?', [`Sanna’s ${'old daughter '.repeat(size)}`]);
    expect(growth(read, 1_000)).toBeLessThan(LINEAR);
  });
});
