import { describe, expect, it } from 'vitest';
import { HierarchyDesk, stepKey } from '../../../src/engine/hierarchy/hierarchy-desk.ts';
import type { Categorization } from '../../../src/hierarchy/categorizer.ts';
import type { LayerStep } from '../../../src/hierarchy/maintain/layer-step.ts';
import { NO_MODEL_USAGE } from '../../../src/inference/language-model/tokens/usage-meter.ts';

const STEP: LayerStep = {
  ...{ run: 'r', mode: 'rebuild', layer: 1, after: null, until: 'z', forgotten: null, gathered: null },
  ...{ kind: 'place', last: 'b', category: null, asks: 2, left: 3, names: ['A', 'B'], closes: false },
  revision: '1 1',
};

function replyOf(name: string, nodes = 1): Categorization {
  const ids = Array.from({ length: nodes }, (_, at) => `${at}`);
  return { categories: [{ name, tags: [], nodes: ids }], notes: [], usage: NO_MODEL_USAGE };
}

describe('the desk of hierarchy steps', () => {
  it('keeps the latest replies, also one that is larger than its room', () => {
    const desk = new HierarchyDesk();
    desk.keepReply('first', replyOf('A', 30_000));
    desk.keepReply('second', replyOf('B', 15_000));
    expect(desk.reply('first')).toBeDefined();
    desk.keepReply('third', replyOf('C', 15_000));
    expect([desk.reply('first'), desk.reply('second')?.categories[0]?.name]).toEqual([undefined, 'B']);
    desk.keepReply('fourth', replyOf('D', 90_000));
    expect([desk.reply('third'), desk.reply('fourth')?.categories[0]?.name]).toEqual([undefined, 'D']);
  });

  it('knows a step by its content, whatever is shown of it', () => {
    const key = stepKey(STEP, 'llm');
    expect(stepKey({ ...STEP, names: [], asks: 0 }, 'llm')).toBe(key);
    const others = [
      stepKey(STEP, 'local'),
      ...[{ last: 'c' }, { mode: 'update' as const }, { layer: 2 }, { run: 's' }, { forgotten: 'f' }].map(
        (edit) => stepKey({ ...STEP, ...edit }, 'llm'),
      ),
    ];
    expect(new Set([key, ...others]).size).toBe(7);
  });

  it('gathers proposals in order, for several continuations of one step', () => {
    const desk = new HierarchyDesk();
    const namesOf = (key: string | null) => desk.gathered(key)?.map(({ name }) => name);
    const first = desk.gather(STEP, 'a', replyOf('A'));
    const second = desk.gather({ ...STEP, gathered: first }, 'b', replyOf('B'));
    const fork = desk.gather({ ...STEP, gathered: first }, 'c', replyOf('C'));
    expect([null, first, second, fork].map(namesOf)).toEqual([[], ['A'], ['A', 'B'], ['A', 'C']]);
  });

  it('holds nothing after it was dropped', () => {
    const desk = new HierarchyDesk();
    desk.keepReply('key', replyOf('A'));
    desk.offer('key', {} as never);
    const gathered = desk.gather(STEP, 'key', replyOf('A'));
    desk.drop();
    expect([desk.reply('key'), desk.takeRequest('key'), desk.gathered(gathered)]).toEqual([
      undefined,
      null,
      undefined,
    ]);
  });
});
