import { expect, it } from 'vitest';
import { topicsOf } from '../../../renderer/chat/suggested-topics.ts';

type Group = Parameters<typeof topicsOf>[0]['groups'][number];
const group = (title: string, category: string | null = `id of ${title}`): Group => ({
  ...{ title, category: category as Group['category'], total: 2 },
  facts: [],
});

it('offers the groups that somebody would ask for, with their names as inside a sentence', () => {
  const titles = [
    'Board games',
    'Named people',
    'Other people',
    'Miscellaneous',
    'LGBTQ',
    'New York',
    'Other',
  ];
  const groups = [...titles.map((title) => group(title)), group('Without a category', null)];
  expect(topicsOf({ groups }).map(({ title }) => title)).toEqual(['board games', 'LGBTQ', 'New York']);
});
