import { expect, it } from 'vitest';
import { namedThings } from '../../../renderer/chat/suggestions.tsx';

it('offers what has a name of its own, people and places first', () => {
  const entity = (name: string, kind: string, facts = 2) => ({ id: name, name, tags: [kind], facts });
  const entities = [
    ...[
      entity('bed', 'thing'),
      entity('Shadow', 'thing'),
      entity('my sister', 'person'),
      entity('Ghent', 'place'),
    ],
    ...[
      entity('May 2026', 'date'),
      entity('Assistant', 'person'),
      entity('Mara', 'person'),
      entity('Oslo', 'place', 1),
    ],
    entity('李明', 'person'),
    ...['30-minute', '24-hour', 'PM', '2018', 'Ghent'].map((name) => entity(name, 'thing')),
    entity('The Salt Path', 'thing'),
  ];
  const names = namedThings(entities, 'Mara').map(({ name }) => name);
  expect(names).toEqual(['Ghent', '李明', 'Shadow', 'The Salt Path']);
});
