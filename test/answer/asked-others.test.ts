import { describe, expect, it } from 'vitest';
import { askedOthers, withoutWords } from '../../src/answer/asked-others.ts';
import { listedKind } from '../../src/answer/listed-members.ts';
import { profileAsked } from '../../src/answer/profile-answer.ts';
import { growth, LINEAR } from '../fixtures/growth.ts';

describe('who is left out of a question', () => {
  it.each([
    ['Who was there besides Ann?', ['Ann'], 'Who was there?'],
    ['Who besides Ann came to the party?', ['Ann'], 'Who came to the party?'],
    ['Who besides Ann Berg plays the oboe?', ['Ann', 'Berg'], 'Who plays the oboe?'],
    ['Besides Bo and my brother, who swims?', ['Bo', 'brother'], 'who swims?'],
    ['What did she buy other than the lamp on Monday?', ['lamp'], 'What did she buy on Monday?'],
  ])('%s', (question, besides, rest) => expect(askedOthers(question)).toEqual({ question: rest, besides }));

  it('is cut as whole words', () => {
    expect(withoutWords('Anna and Ann sang, Ann’s Annabel too', ['Ann'])).toBe(
      'Anna and  sang, ’s Annabel too',
    );
    expect(withoutWords('Bob, bo and BO', ['Bo'])).toBe('Bob,  and ');
  });

  it('takes time linear in a long question', () => {
    for (const work of [
      (spaces: string) => askedOthers(`Who came${spaces}x`),
      (spaces: string) => askedOthers(`${spaces}Who came, ${spaces}besides Ann${spaces}x`),
      (spaces: string) => profileAsked(`Tell me about${spaces}x${'?'.repeat(spaces.length)}y`),
    ])
      expect(growth((size) => work(' '.repeat(size)), 20_000)).toBeLessThan(LINEAR);
  });
});

describe('a kind in a question', () => {
  it.each([
    ['What are the names of his dogs?', 'dogs'],
    ['What are Ann’s hobbies?', 'hobbies'],
    ['What is the name of James?', null],
  ])('is no name: %s', (question, kind) => expect(listedKind(question, '')).toBe(kind));
});
