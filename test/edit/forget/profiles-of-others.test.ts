import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { EntityId } from '../../../src/model/ids.ts';
import { inTier } from '../../tier.ts';
import { SpokenMemory, type SpokenStep, spokenHistories } from './spoken-memory.ts';

/** Other histories each time: MNEMIS_SEED=$RANDOM npx vitest run test/edit/forget/profiles-of-others.test.ts */
const seed = Number(process.env.MNEMIS_SEED ?? 20_261_123);
const runs = inTier({ fast: 6, slow: 40, long: 400 });

const say = (line: string, session = 'monday'): SpokenStep => {
  const [speaker, says] = line.split(/: (.*)/s) as [string, string];
  return { do: 'say', session, speaker, says };
};
const FLUSH: SpokenStep = { do: 'flush' };
const forget = (what: 'turn' | 'session' | 'entity' | 'entity with turns', pick = 0): SpokenStep => {
  return { do: 'forget', what, pick };
};
const namesIn = async (memory: SpokenMemory) =>
  [...(await memory.rows()).nodes.profile.values()].map(({ name }) => name);

describe('after forgetting', () => {
  it('nothing remains of an entity whose turns are forgotten one by one, before the others are read again', async () => {
    const memory = new SpokenMemory({ rederives: false });
    const turns = [say("Ann: Ann's sister hates herring."), say('Ann: Ok.')];
    expect(await memory.live([...turns, FLUSH, forget('turn'), forget('turn')])).toEqual([]);
    const { entity, profile } = (await memory.rows()).nodes;
    expect([entity.size, profile.size]).toEqual([0, 0]);
  });

  it('an entity named by a turn that waits to be read again stays', async () => {
    const memory = new SpokenMemory({ rederives: false });
    const turns = [say('Ann: I live in Ghent.'), say('Ann: Ok.'), say('Bob: Rex lives in Lisbon.', 'friday')];
    await memory.live([...turns, FLUSH]);
    const ann = async () => {
      const { profile } = (await memory.rows()).nodes;
      return [...profile.values()].find(({ name, expiredAt }) => name === 'Ann' && expiredAt === null)?.owner;
    };
    const before = await ann();
    expect(before).toBeDefined();
    for (const words of ['Ghent', 'Lisbon']) {
      const { episode } = (await memory.rows()).nodes;
      const turn = [...episode.values()].find(({ content }) => content.includes(words))!;
      await memory.forget({ episode: turn.id });
      expect(await ann()).toBe(before);
    }
  });

  it.each([true, false])(
    'another entity of the same name is no remnant (rederives: %s)',
    async (rederives) => {
      const memory = new SpokenMemory({ rederives });
      const turns = [
        say('Cleo Marsh: Say hello to my uncle. Bob loves climbing.', 'tuesday'),
        say('Bob: You said: "Say hello to my uncle. Bob loves climbing."'),
        say('Ann: My sister Rex was born in Lisbon. I met Bob and we talked about the red tandem.', 'friday'),
      ];
      expect(await memory.live([...turns, FLUSH, forget('turn', 1)])).toEqual([]);
      expect(await namesIn(memory)).toContain('uncle');
    },
  );
});

describe('a summary written by hand', () => {
  const TOLD = 'Lena has a broken knee since spring.';
  const written = async (owner: string, summary: string, rederives: boolean) => {
    const memory = new SpokenMemory({ rederives });
    const turns = [say(`Ann: ${TOLD}`), say('Bob: I live in Ghent.', 'tuesday')];
    await memory.live([...turns, say('Cleo Marsh: Lena visited Omar.', 'friday'), FLUSH]);
    const profile = await profileOf(memory, owner);
    await memory.memory.corrections.editProfile(profile.owner as EntityId, { summary });
    return memory;
  };
  const profileOf = async (memory: SpokenMemory, wanted: string) => {
    const { profile } = (await memory.rows()).nodes;
    return [...profile.values()].find(
      ({ name, expiredAt }) => name.toLowerCase() === wanted && expiredAt === null,
    )!;
  };
  const forgetKnee = async (memory: SpokenMemory) => {
    const { episode } = (await memory.rows()).nodes;
    const turn = [...episode.values()].find(({ content }) => content === TOLD)!;
    return memory.forget({ episode: turn.id });
  };

  it.each([
    ['lena', TOLD, true],
    ['lena', `We know that ${TOLD}`, false],
    ['bob', `Bob told us: "${TOLD}"`, true],
    ['bob', TOLD, false],
  ])(
    'of %s is removed with the turn that it repeats: %s (rederives: %s)',
    async (owner, summary, rederives) => {
      const memory = await written(owner, summary, rederives);
      expect((await forgetKnee(memory)).proof.clean).toBe(true);
      expect(JSON.stringify([...(await memory.rows()).nodes.correction.values()])).not.toContain('knee');
      // Reading on does not bring it back.
      await memory.live([say('Bob: Lena lives in Bruges. I love climbing.', 'friday'), FLUSH]);
      const { nodes } = await memory.rows();
      expect(JSON.stringify([[...nodes.profile.values()], [...nodes.correction.values()]])).not.toContain(
        'knee',
      );
    },
  );

  it('in other words stays', async () => {
    const memory = await written('bob', 'Knows all about knees.', true);
    expect((await forgetKnee(memory)).proof.clean).toBe(true);
    expect(await profileOf(memory, 'bob')).toMatchObject({ summary: 'Knows all about knees.' });
  });
});

describe.each([true, false])('after random histories (rederives: %s)', (rederives) => {
  it('no row holds a forgotten sentence, and each proof is clean', () =>
    fc.assert(
      fc.asyncProperty(spokenHistories, async (steps) => {
        expect(await new SpokenMemory({ rederives }).live(steps)).toEqual([]);
      }),
      { numRuns: runs, seed },
    ));
});
