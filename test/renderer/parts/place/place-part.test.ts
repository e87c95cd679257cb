import { expect, it } from 'vitest';
import { isPlace } from '../../../../main/desktop/link-check.ts';
import { placeOfSession } from '../../../../renderer/parts/conversation/conversation-place.ts';
import { nameOfPart } from '../../../../renderer/parts/place/place-part.ts';

it.each([
  'whatsapp/100% fun',
  'whatsapp/Family (2020) *!',
  "telegram/Ana's ~ 50%25",
  'chat%2F of two / three',
  'Семья и друзья 🙂 '.repeat(20),
])('%s is read from its place as it was, however the router decodes that', (name) => {
  const place = placeOfSession('a b', name);
  expect(isPlace(place)).toBe(true);
  for (const read of [place, decodeURI(place)]) {
    const [, scope, session] = /^\/s\/([^/]+)\/([^/]+)$/.exec(read)!;
    expect([nameOfPart(scope!), nameOfPart(session!)]).toEqual(['a b', name]);
  }
});

it('a part that is no place of the app fails nothing', () => {
  expect(nameOfPart('100% fun')).toBe('100% fun');
  expect(nameOfPart('~zz')).toBe('~zz');
});
