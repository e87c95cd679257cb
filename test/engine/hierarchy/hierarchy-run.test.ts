import { describe, expect, it } from 'vitest';
import { StepResults, stepKey } from '../../../src/engine/hierarchy/hierarchy-run.ts';
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

describe('the results of hierarchy steps', () => {
  it('keeps the latest replies, also one that is larger than its room', () => {
    const results = new StepResults();
    results.replies.set('first', replyOf('A', 30_000));
    results.replies.set('second', replyOf('B', 15_000));
    expect(results.replies.has('first')).toBe(true);
    results.replies.set('third', replyOf('C', 15_000));
    expect([results.replies.get('first'), results.replies.get('second')?.categories[0]?.name]).toEqual([
      undefined,
      'B',
    ]);
    results.replies.set('fourth', replyOf('D', 90_000));
    expect([results.replies.get('third'), results.replies.get('fourth')?.categories[0]?.name]).toEqual([
      undefined,
      'D',
    ]);
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
    const results = new StepResults();
    const namesOf = (key: string | null) => results.gathered(key)?.map(({ name }) => name);
    const first = results.gather(STEP, 'a', replyOf('A'));
    const second = results.gather({ ...STEP, gathered: first }, 'b', replyOf('B'));
    const fork = results.gather({ ...STEP, gathered: first }, 'c', replyOf('C'));
    expect([null, first, second, fork].map(namesOf)).toEqual([[], ['A'], ['A', 'B'], ['A', 'C']]);
  });

  it('holds nothing after it was dropped', () => {
    const results = new StepResults();
    results.replies.set('key', replyOf('A'));
    results.request = { key: 'key', request: null };
    const gathered = results.gather(STEP, 'key', replyOf('A'));
    results.drop();
    expect([results.replies.get('key'), results.request, results.gathered(gathered)]).toEqual([
      undefined,
      null,
      undefined,
    ]);
  });
});
