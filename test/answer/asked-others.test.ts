import { describe, expect, it } from 'vitest';
import { askedOthers, withoutWords } from '../../src/answer/asked-others.ts';
import { listedKind } from '../../src/answer/listed-members.ts';
import { profileAsked } from '../../src/answer/profile-answer.ts';

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
    const spaces = ' '.repeat(100_000);
    const started = performance.now();
    askedOthers(`Who came${spaces}x`);
    askedOthers(`${spaces}Who came, ${spaces}besides Ann${spaces}x`);
    profileAsked(`Tell me about${spaces}x${'?'.repeat(100_000)}y`);
    expect(performance.now() - started).toBeLessThan(1_000);
  });
});

describe('a kind in a question', () => {
  it.each([
    ['What are the names of his dogs?', 'dogs'],
    ['What are Ann’s hobbies?', 'hobbies'],
    ['What is the name of James?', null],
  ])('is no name: %s', (question, kind) => expect(listedKind(question, '')).toBe(kind));
});
