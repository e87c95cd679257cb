import { describe, expect, it } from 'vitest';
import type { MemoryGate } from '../../../src/ingest/extract/gate/memory-gate.ts';
import { dialogue, turn } from '../turns.ts';

/** What every MemoryGate does. */
export function gateContract(name: string, make: () => MemoryGate): void {
  describe(`${name}: the MemoryGate contract`, () => {
    it('gives one judgement per turn', async () => {
      const odd = ['', '  ', '😀', '\ud83d', '我昨天搬到了北京。', '```\ncode\n```', 'long '.repeat(50_000)];
      const judgements = await make().judge(odd.map((content) => turn('Ann', content)));
      expect(judgements).toHaveLength(odd.length);
      for (const judgement of judgements) expect(['kept', 'dropped']).toContain(judgement);
    });

    it('gives nothing for nothing', async () => expect(await make().judge([])).toEqual([]));

    it('keeps a fact and drops a greeting', async () => {
      const turns = dialogue('Ann: I adopted a puppy in Oslo last week.', 'Ann: Hi!');
      expect(await make().judge(turns)).toEqual(['kept', 'dropped']);
    });

    it('says the same again', async () => {
      const turns = dialogue('Ann: I ski.', 'Bob: Cool!', 'Ann: Do you ski?', 'Bob: Yes!');
      expect(await make().judge(turns)).toEqual(await make().judge(turns));
    });

    it('stops when it is cancelled', async () => {
      const options = { signal: AbortSignal.abort() };
      await expect(make().judge(dialogue('Ann: Hi!'), options)).rejects.toMatchObject({ code: 'cancelled' });
    });
  });
}
