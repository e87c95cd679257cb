import { describe, expect, it } from 'vitest';
import { HOSTILE_SHAPES, hostileText, ordinaryProse } from '../../bench/hostile-texts/shapes.ts';
import type { Episode } from '../../src/model/nodes.ts';
import { EpisodeIndex } from '../../src/search/episode-index.ts';

const LENGTH = 25_000;

function turn(id: string, content: string): Episode {
  return {
    id,
    session: 's',
    index: 0,
    speaker: 'Ada',
    validAt: 0,
    content,
    attachments: [],
    metadata: {},
  } as unknown as Episode;
}

describe('a long turn whose words are counted before it is added', () => {
  it('has the same index entries as one that is analyzed when it is added', async () => {
    const [prepared, plain] = [EpisodeIndex.empty(4), EpisodeIndex.empty(4)];
    const texts = [
      ordinaryProse(LENGTH),
      ...HOSTILE_SHAPES.map((shape) => hostileText(shape, LENGTH)),
      `${hostileText('one word', LENGTH)}? ${hostileText('one word', LENGTH)}.`,
    ];
    for (const [at, text] of texts.entries()) {
      const [one, other] = [turn(`${at}`, text), turn(`${at}`, text)];
      await prepared.prepare([one]);
      prepared.add(one);
      plain.add(other);
    }
    expect(prepared.conversation.toSections()).toEqual(plain.conversation.toSections());
  });
});
