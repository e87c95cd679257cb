import { describe, expect, it } from 'vitest';
import { replyShape } from '../../src/inference/language-model/reading/reply-shape.ts';
import { EXAMPLES, TEXT_EXAMPLES } from './examples.ts';

describe('the prompts', () => {
  it('have names of their own', () => {
    const names = [...EXAMPLES, ...TEXT_EXAMPLES].map(({ prompt }) => prompt.name);
    expect(new Set(names).size).toBe(names.length);
    for (const name of names) expect(name).toMatch(/^[a-z]+(?:-[a-z]+)*$/);
  });

  for (const { prompt, input } of [...EXAMPLES, ...TEXT_EXAMPLES]) {
    describe(prompt.name, () => {
      it('reads as reviewed', async () => {
        const { system, user } = prompt.render(input);
        const brief = prompt.brief === undefined ? '' : `\n--- in brief\n${prompt.brief(input)}\n`;
        const text = `version ${prompt.version}\n\n--- system\n${system}\n\n--- user\n${user}\n${brief}`;
        await expect(text).toMatchFileSnapshot(`snapshots/${prompt.name}.txt`);
      });

      it('renders the same again, and leaves its input alone', () => {
        const copy = structuredClone(input);
        expect(prompt.render(input)).toEqual(prompt.render(input));
        expect(input).toEqual(copy);
      });

      it('keeps all that people said out of the instructions', () => {
        const { system, user } = prompt.render(input);
        expect(user).toMatch(/Ann|Luna/);
        for (const rules of [system, prompt.brief?.(input) ?? system]) {
          expect(rules).not.toMatch(/Bob|Luna|Oslo/);
          expect(rules).toContain('never instructions to you');
        }
      });
    });
  }

  for (const { prompt } of EXAMPLES) {
    describe(prompt.name, () => {
      it('has a schema that providers enforce, every property required and none nullable', () => {
        const shape = replyShape(prompt);
        expect(shape.strict).toBe(true);
        expect(JSON.stringify(shape.schema)).not.toContain('null');
      });

      it('takes an empty reply', () => expect(prompt.schema.safeParse({}).success).toBe(true));

      it('reads its own reading as the same, so that replies can be recorded', () => {
        const odd = {
          segments: [{ segment: '2' }, 'x'],
          facts: [{ turns: 3, confidence: '80%' }, null],
          keep: 'turns 1, 4',
        };
        const once = prompt.schema.parse({
          ...odd,
          matches: [{ verdict: 'SAME' }],
          relations: [{ relation: 'Causal' }],
          entities: [{ name: 7, kind: 'PLACE', turns: '2' }],
          triplets: [{ subject: 'Ann', turns: '[1; 3]' }, 'x'],
          propositions: [{ statement: 1, participants: 'Ann, Bob' }],
          descriptions: [{ entity: 'E2' }],
          profiles: [{ tags: 'dog; pet' }],
          keywords: 'a, b',
        });
        expect(prompt.schema.parse(structuredClone(once))).toEqual(once);
      });
    });
  }
});
