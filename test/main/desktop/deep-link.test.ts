import { describe, expect, it } from 'vitest';
import { placeInArguments, placeOfLink } from '../../../main/desktop/deep-link.ts';

describe('links into the app', () => {
  it.each([
    ['mnemis://chat/0b9c7a52-0000-4000-8000-1b1e5c2f9d10', '/c/0b9c7a52-0000-4000-8000-1b1e5c2f9d10'],
    ['mnemis://chat/draft/', '/c/draft'],
    ['mnemis://ask?q=Where%20does%20Ann%20live%3F', '/?ask=Where%20does%20Ann%20live%3F'],
    ['mnemis://ask/?q=a+b%26c%23d', '/?ask=a%20b%26c%23d'],
    ['mnemis://ask?q=one%0Atwo%09three%00', '/?ask=one%0Atwo%20three'],
    ['mnemis://entity/019a-ff', '/entity/default/019a-ff'],
    ['mnemis://entity/019a-ff?scope=my%20work%2F1', '/entity/my%20work%2F1/019a-ff'],
    ['mnemis://browse', '/browse'],
    ['mnemis://timeline/', '/timeline'],
    ['mnemis://review', '/review'],
  ])('%s', (address, place) => expect(placeOfLink(address)).toBe(place));

  it.each([
    'mnemis://forget',
    'mnemis://forget?all=true',
    'mnemis://forget/019a',
    'mnemis://settings',
    'mnemis://import?file=/etc/passwd',
    'mnemis://',
    'mnemis:chat/1',
    'mnemis://chat',
    'mnemis://chat/',
    'mnemis://chat/a/b',
    'mnemis://chat?id=a',
    'mnemis://chat/..%2f..%2fx',
    'mnemis://chat/a?message=2',
    'mnemis://chat/a#/settings',
    'mnemis://user:pw@chat/a',
    'mnemis://chat:80/a',
    `mnemis://chat/${'a'.repeat(65)}`,
    'mnemis://ask',
    'mnemis://ask?q=',
    'mnemis://ask?q=%20%0A',
    'mnemis://ask?q=a&q=b',
    'mnemis://ask?q=a&send=true',
    'mnemis://ask?q=a&kind=browse',
    `mnemis://ask?q=${'a'.repeat(2_001)}`,
    `mnemis://ask?q=${'%20'.repeat(4_000)}a`,
    'mnemis://entity/a%22b',
    'mnemis://entity/a?scope=',
    'mnemis://browse?scope=a',
    'mnemis://browse/x',
    'https://mnemis/chat/a',
    'app://mnemis/index.html#/forget',
    'javascript:alert(1)',
    'no link',
    '',
  ])('ignores %s', (address) => expect(placeOfLink(address)).toBeNull());

  it('finds the link among the arguments of a start', () => {
    const program = ['/opt/Mnemis/mnemis-app', '--no-sandbox'];
    expect(placeInArguments([...program, 'mnemis://browse'])).toBe('/browse');
    expect(placeInArguments([...program, '--x=mnemis://browse', 'https://example.org'])).toBeNull();
    expect(placeInArguments([...program, 'mnemis://forget', 'mnemis://browse'])).toBeNull();
    expect(placeInArguments([])).toBeNull();
  });
});
