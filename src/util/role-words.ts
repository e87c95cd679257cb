import roles from './roles.json' with { type: 'json' };

/** Words for what one person or animal is to another, such as "sister", as part of a regular expression, longest first. */
export const ROLE_WORDS: string = Object.values(roles.byGender)
  .flatMap((lists) => lists.flatMap((list) => list.split(' ')))
  .filter((word) => word !== '')
  .sort((a, b) => b.length - a.length)
  .join('|');
