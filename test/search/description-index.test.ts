import { describe, expect, it } from 'vitest';
import type { DescriptionId } from '../../src/model/ids.ts';
import { DescriptionIndex } from '../../src/search/document-index.ts';

const QUERY = Float32Array.of(1, 0);

function index(): DescriptionIndex {
  const descriptions = DescriptionIndex.empty(2);
  const add = (id: string, entity: number, vector?: Float32Array) => {
    descriptions.add(id as DescriptionId, entity);
    if (vector) descriptions.vectors.set(descriptions.ids.ordinalOf(id)!, vector);
  };
  add('far', 2, Float32Array.of(0.6, 0.8));
  add('near', 2, Float32Array.of(0.8, 0.6));
  add('against', 0, Float32Array.of(-1, 0));
  add('silent', 1);
  return descriptions;
}

const nearest = (descriptions: DescriptionIndex, entities = 3) =>
  Array.from(descriptions.nearestOfEntities(QUERY, entities), (value) => Math.round(value * 100) / 100);

describe('descriptions', () => {
  it('represent an entity by the one that is nearest to the query', () => {
    expect(nearest(index())).toEqual([-1, 0, 0.8]);
  });

  it('have no effect once they are removed', () => {
    const descriptions = index();
    descriptions.remove('near');
    descriptions.remove('unknown');
    expect(nearest(descriptions)).toEqual([-1, 0, 0.6]);
  });

  it('survive their own snapshot, and reject another one', () => {
    const { ids, vectors } = index();
    const sections = index().toSections();
    expect(nearest(DescriptionIndex.fromSections(sections, { ids, vectors })!)).toEqual([-1, 0, 0.8]);
    const other = DescriptionIndex.empty(2);
    expect(DescriptionIndex.fromSections(sections, other)).toBeNull();
  });
});
