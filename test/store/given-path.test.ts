import { describe, expect, it } from 'vitest';
import { InvalidInputError } from '../../src/errors/index.ts';
import { givenPath } from '../../src/store/given-path.ts';

const environment = { HOME: '/home/nora', DATA: '/srv/data', RELATIVE: 'data', EMPTY: '' };
const surroundings = { folder: '/place', environment };

describe('A path that no shell has read', () => {
  it.each([
    ['~', '/home/nora'],
    ['~/m.sqlite', '/home/nora/m.sqlite'],
    ['~//a/../m.db', '/home/nora/m.db'],
    ['$HOME/m.db', '/home/nora/m.db'],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a variable of a shell
    ['${HOME}/m.db', '/home/nora/m.db'],
    ['$DATA/$RELATIVE/m.db', '/srv/data/data/m.db'],
    ['$RELATIVE/m.db', '/place/data/m.db'],
    ['file:///abs/m.db', '/abs/m.db'],
    ['FILE:///abs/a%20b.db', '/abs/a b.db'],
    ['file:/abs/m.db', '/abs/m.db'],
    ['file://localhost/abs/m.db', '/abs/m.db'],
    ['file:m.sqlite', '/place/m.sqlite'],
    ['file:~/m.sqlite', '/home/nora/m.sqlite'],
    ['m.db', '/place/m.db'],
    ['../m.db', '/m.db'],
    ['./~nora/m.db', '/place/~nora/m.db'],
    ['a~/m.db', '/place/a~/m.db'],
    ['backup~', '/place/backup~'],
    ['a$HOME.db', '/place/a$HOME.db'],
    ['cost$5/m.db', '/place/cost$5/m.db'],
    ['$5/m.db', '/place/$5/m.db'],
    ['/abs/$HOME/~/m.db', '/abs/$HOME/~/m.db'],
    ['session:nora.sqlite', '/place/session:nora.sqlite'],
    ['2026-01-01T10:00.db', '/place/2026-01-01T10:00.db'],
    ['%HOME%/m.db', '/place/%HOME%/m.db'],
  ])('%s is %s', (text, path) => {
    expect(givenPath(text, surroundings)).toBe(path);
    expect(givenPath(path, surroundings)).toBe(path);
  });

  it('has variables between percent signs on Windows', () => {
    const windows = {
      folder: '/place',
      environment: { USERPROFILE: '/users/nora' },
      platform: 'win32',
    } as const;
    expect(givenPath('%USERPROFILE%/m.db', windows)).toBe('/users/nora/m.db');
    expect(givenPath('~/m.db', windows)).toBe('/users/nora/m.db');
  });

  it.each([
    '~nora/m.db',
    '$MISSING/m.db',
    '$EMPTY/m.db',
    'a\0b.db',
    'http://user:secret@host/m.db',
    'https://host/m.db',
    'sqlite:m.db',
    'sqlite:///m.db',
    'kuzu:m.db',
    'jdbc:sqlite:m.db',
    'mysql://host/db',
    's3://bucket/m.db',
    'file://host/m.db',
    'file:m.db?mode=ro',
    'file:///m%ZZ.db',
  ])('%s is refused, and not repeated', (text) => {
    const giving = () => givenPath(text, surroundings);
    expect(giving).toThrow(InvalidInputError);
    expect(giving).not.toThrow(/secret/);
  });
});
