/** What one is to somebody. Within a group the words may be said of one person, across groups they are not. */
export interface Role {
  readonly group: string;
  readonly gender: 'female' | 'male' | null;
}

/** Group: words for women; for men; for either. */
const TABLE = `
parent: mother mom mum mommy mama stepmother stepmom; father dad daddy papa stepfather stepdad; parent
child: daughter stepdaughter girl; son stepson boy; child kid baby toddler
sibling: sister stepsister; brother stepbrother; sibling twin
siblings-child: niece; nephew;
parents-sibling: aunt auntie; uncle;
cousin: ; ; cousin
grandparent: grandmother grandma granny nana; grandfather grandpa granddad; grandparent
grandchild: granddaughter; grandson; grandchild
partner: wife girlfriend fiancée; husband boyfriend; partner spouse fiance fiancé fiancee
in-law: sister-in-law mother-in-law daughter-in-law; brother-in-law father-in-law son-in-law; in-law
work: ; ; colleague coworker co-worker workmate boss manager supervisor employee intern
school: ; ; classmate teacher professor student tutor pupil schoolmate
home: landlady; landlord; neighbor neighbour roommate flatmate housemate tenant
sport: ; ; teammate coach trainer
care: ; ; doctor therapist dentist counselor counsellor physician
friend: ; ; friend buddy pal bestie mate mentor
pet: ; ; dog cat puppy pup kitten pet hamster rabbit parrot horse pony turtle`;

const KIN: ReadonlySet<string> = new Set(
  'parent child sibling siblings-child parents-sibling cousin grandparent grandchild partner in-law kin'.split(
    ' ',
  ),
);
/** The relative of a relative: "Nora's sister's son" is her nephew. */
const COMPOSED: Readonly<Record<string, string>> = {
  'sibling child': 'siblings-child',
  'parent sibling': 'parents-sibling',
  'parent parent': 'grandparent',
  'child child': 'grandchild',
  'parents-sibling child': 'cousin',
  'parent child': 'sibling',
  'partner parent': 'in-law',
  'partner sibling': 'in-law',
  'sibling partner': 'in-law',
  'child partner': 'in-law',
};

const TRADES: ReadonlySet<string> = new Set(
  'mother mom mum father dad parent grandmother grandma grandfather grandpa child kid girl boy baby toddler boss manager supervisor employee intern teacher professor student tutor pupil coach trainer doctor therapist dentist counselor counsellor physician tenant landlord landlady spouse partner twin'.split(
    ' ',
  ),
);

const ROLES: ReadonlyMap<string, Role> = readTable(TABLE);
/** Every role word as a part of a regular expression, the longest first. */
export const ROLE_WORDS: string = [...ROLES.keys()].sort((a, b) => b.length - a.length).join('|');

export function roleOf(word: string): Role | undefined {
  return ROLES.get(word.toLowerCase());
}

export function isRoleWord(word: string): boolean {
  return ROLES.has(word);
}

/** Whether a chain says what somebody does or is to anyone, unless it says to whom: "a doctor", "a father". */
export function isTrade(words: readonly string[]): boolean {
  return words.length === 1 && TRADES.has(words[0]!.toLowerCase());
}

/** What one is to the anchor of a chain such as ["sister", "son"]; undefined when a word is no role. */
export function roleOfChain(words: readonly string[]): Role | undefined {
  const [first, ...rest] = words.map(roleOf);
  return rest.reduce(
    (to, next) => (to === undefined || next === undefined ? undefined : compose(to, next)),
    first,
  );
}

function compose(to: Role, { group, gender }: Role): Role {
  const known = COMPOSED[`${to.group} ${group}`];
  if (known !== undefined) return { group: known, gender };
  return { group: KIN.has(to.group) && KIN.has(group) ? 'kin' : `${to.group}'s ${group}`, gender };
}

/** Whether one person may be both to the same anchor. */
export function mayBeBoth(a: Role, b: Role): boolean {
  if (a.gender !== null && b.gender !== null && a.gender !== b.gender) return false;
  if (a.group === b.group) return true;
  if (KIN.has(a.group) && KIN.has(b.group)) return a.group === 'kin' || b.group === 'kin';
  // A colleague or a husband may be called a friend; of a nephew or a dog one says what they are.
  const [friend, other] = a.group === 'friend' ? [a, b] : [b, a];
  return (
    friend.group === 'friend' && other.group !== 'pet' && (!KIN.has(other.group) || other.group === 'partner')
  );
}

function readTable(table: string): ReadonlyMap<string, Role> {
  const roles = new Map<string, Role>();
  for (const line of table.trim().split('\n')) {
    const [group, words] = line.split(':');
    const genders = ['female', 'male', null] as const;
    for (const [at, list] of words!.split(';').entries())
      for (const word of list.split(' ').filter(Boolean))
        roles.set(word, { group: group!, gender: genders[at]! });
  }
  return roles;
}
