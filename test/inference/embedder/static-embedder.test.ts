import { describe, expect, it } from 'vitest';
import { readStaticModel, StaticEmbedder } from '../../../src/inference/embedder/static-embedder.ts';
import { analyze } from '../../../src/search/analyzer.ts';
import { embedderContract } from '../../contract/embedder.ts';

const model = await readStaticModel();
const embedder = new StaticEmbedder({ analyze, model });

embedderContract('StaticEmbedder', () => new StaticEmbedder({ analyze, model }));

async function cosine(a: string, b: string): Promise<number> {
  const [x, y] = await embedder.embed([a, b], { as: 'passage' });
  return x!.reduce((sum, value, at) => sum + value * y![at]!, 0);
}

/** A text, one that means nearly the same in other words, and one that does not. */
const TRIPLES: readonly (readonly [string, string, string])[] = [
  ['dog', 'puppy', 'train'],
  ['doctor', 'physician', 'river'],
  ['happy', 'joyful', 'wooden'],
  ['car', 'automobile', 'soup'],
  ['kid', 'child', 'bridge'],
  ['a violin lesson', 'music school', 'a tax return'],
  ['She bought a sofa.', 'The new couch arrived.', 'The flight was late.'],
  ['He quit his job.', 'He resigned from his employment.', 'He baked some bread.'],
  ['We went hiking in the mountains.', 'a long walk uphill on a trail', 'a new phone contract'],
  ['painting a landscape', 'an artist with watercolours', 'a broken engine'],
  ['She is ill with a fever.', 'a sick patient in hospital', 'a football match'],
  ['They got married.', 'the wedding of the couple', 'the price of petrol'],
  ['I planted roses.', 'flowers in my garden', 'a computer program'],
  ['a delicious dinner', 'tasty food for supper', 'an old railway station'],
];

describe('StaticEmbedder', () => {
  it.each(TRIPLES)('puts “%s” nearer to “%s” than to “%s”', async (text, near, far) => {
    expect(await cosine(text, near)).toBeGreaterThan(await cosine(text, far));
  });

  it('embeds unknown words by their spelling', async () => {
    expect(model.rowOf.has('dairyfree')).toBe(false);
    expect(await cosine('Zaneblik', 'zaneblik')).toBeCloseTo(1);
    expect(await cosine('Zaneblik', 'Zanebliks')).toBeGreaterThan(await cosine('Zaneblik', 'Morquett'));
  });

  it('gives rare words more weight than common ones', async () => {
    expect(await cosine('a good accordion', 'accordion')).toBeGreaterThan(
      await cosine('a good accordion', 'good'),
    );
  });

  it('gives a repeated word more weight, but less than proportionally', async () => {
    const once = await cosine('tea coffee', 'tea');
    const thrice = await cosine('tea tea tea coffee', 'tea');
    expect(thrice).toBeGreaterThan(once);
    expect(thrice).toBeLessThan(await cosine('tea', 'tea'));
  });

  it('has the same fingerprint on every machine', () => {
    expect(embedder.fingerprint).toEqual({ model: 'static-en-v1', dimension: 256 });
  });
});
