import { describe, expect, it } from 'vitest';
import { ENUMERATION_KINDS, FILLERS, SLOTS } from '../../bench/enumeration-kinds.ts';
import { enumerationCorpus } from '../../bench/enumeration-turns.ts';
import { analyze } from '../../src/search/analyzer.ts';

/** Words of any question, which say nothing of what is asked for. */
const GRAMMAR = new Set(analyze('which has to in from'));
const SPEAKERS = new Set(analyze('Ilan Mara'));
const asked = (question: string) =>
  analyze(question).filter((word) => !GRAMMAR.has(word) && !SPEAKERS.has(word));
const CORPUS = enumerationCorpus({ unrelated: 400 });
const turnOf = new Map(CORPUS.turns.map((turn) => [turn.sourceId!, turn]));

describe('the enumeration corpus', () => {
  it('is the same for a seed, and another one for another', () => {
    expect(enumerationCorpus({ unrelated: 50, seed: 7 })).toEqual(
      enumerationCorpus({ unrelated: 50, seed: 7 }),
    );
    const [one, other] = [7, 8].map((seed) => enumerationCorpus({ unrelated: 50, seed }));
    expect(one!.enumerations).not.toEqual(other!.enumerations);
    expect(one!.turns).not.toEqual(other!.turns);
  });

  it('has a dozen members of each kind or more, each in a long turn of its own by the one who is asked about', () => {
    expect(CORPUS.enumerations).toHaveLength(ENUMERATION_KINDS.length);
    const all = CORPUS.enumerations.flatMap(({ evidence }) => evidence);
    expect(new Set(all).size).toBe(all.length);
    expect(CORPUS.turns).toHaveLength(400 + all.length);
    for (const { members, evidence, question } of CORPUS.enumerations) {
      expect(members.length).toBeGreaterThanOrEqual(12);
      expect(members.length).toBeLessThanOrEqual(25);
      expect(evidence).toHaveLength(members.length);
      for (const [at, id] of evidence.entries()) {
        const { content, speaker } = turnOf.get(id)!;
        expect(content).toMatch(new RegExp(`\\b${members[at]}\\b`));
        expect(content.split(' ').length).toBeGreaterThan(40);
        expect(question).toContain(speaker!);
      }
    }
  });

  it('names each member once, in no other turn', () => {
    const words = CORPUS.turns.map(({ content }) => ` ${content.replace(/[^\p{L}]+/gu, ' ')} `);
    for (const { members } of CORPUS.enumerations)
      for (const member of members)
        expect([member, words.filter((text) => text.includes(` ${member} `)).length]).toEqual([member, 1]);
  });

  it('names no member in a question, and no word of a question in the turns that answer it', () => {
    for (const { question, members, evidence } of CORPUS.enumerations) {
      const wanted = asked(question);
      expect(wanted.length).toBeGreaterThan(0);
      for (const member of members) expect(question.toLowerCase()).not.toContain(member.toLowerCase());
      for (const id of evidence) {
        const said = new Set(analyze(turnOf.get(id)!.content));
        expect([id, wanted.filter((word) => said.has(word))]).toEqual([id, []]);
      }
    }
  });

  it('says in no sentence what is asked for, whatever stands in its gaps', () => {
    const every = analyze([...FILLERS, ...Object.values(SLOTS).flat()].join(' '));
    const said = new Set([
      ...every,
      ...ENUMERATION_KINDS.flatMap(({ mentions }) => analyze(mentions.join(' '))),
    ]);
    for (const { question } of CORPUS.enumerations)
      expect([question, asked(question).filter((word) => said.has(word))]).toEqual([question, []]);
    for (const filler of FILLERS)
      for (const [, slot] of filler.matchAll(/\{(\w+)\}/g)) expect(SLOTS[slot!]).toBeDefined();
  });
});
