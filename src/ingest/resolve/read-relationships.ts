import { ROLE_WORDS } from '../../util/role-words.ts';
import { entityNameKey } from '../../util/tidy.ts';
import { isTrade, mayBeBoth, namesPerson, type Role, readName, roleOfChain } from './name-form.ts';

/** Statements about a person that few people share, or that have one value per person. */
export interface Claims {
  /** Roles by the name key of the person they refer to; '' if nobody is named ("a colleague, Alex"). */
  readonly roles: ReadonlyMap<string, readonly Role[]>;
  /** Name keys of the owners in "Ann's mom" or "my kids". */
  readonly owners: ReadonlySet<string>;
  /** Name keys of their places of residence, and of their employers. */
  readonly homes: ReadonlySet<string>;
  readonly works: ReadonlySet<string>;
  /** Whether they moved: two homes are no contradiction then. */
  readonly moved: boolean;
}

export interface ClaimsInput {
  readonly names: readonly string[];
  readonly texts: readonly string[];
  /** Name key of the person that "my" refers to in the texts; "my" if unknown. */
  readonly me?: string | undefined;
  /** Whether the names are of a thing: it has an owner and no role, whatever its name looks like. */
  readonly isThing?: boolean | undefined;
}

/** Number of characters that are read before and after a name. */
const WINDOW = 90;
const LONGEST_TEXT = 1_000;
const MOST_TEXTS = 60;

const ANCHOR = String.raw`(?:(?<anchor>\p{Lu}[\p{L}\p{M}\p{N}-]*(?: \p{Lu}[\p{L}\p{M}\p{N}-]*)?)['’]s?|(?<my>\b[Mm]y|\b[Oo]ur))`;
const BETWEEN = String.raw`(?:\p{Ll}[\p{L}-]* ){0,2}?`;
const CHAIN = `(?<chain>(?:(?:${ROLE_WORDS})['’]s ${BETWEEN})*(?:${ROLE_WORDS}))`;
/** "Nora's old colleague Alex", "my sister's son, Alex". */
const BEFORE = new RegExp(
  String.raw`(?:${ANCHOR}|\b(?:an?|the|his|her|their)) ${BETWEEN}${CHAIN},? (?:named |called )?["“]?$`,
  'u',
);
/** "Alex is Nora's colleague", "Alex, my nephew", "Alex is a colleague of Nora". */
const AFTER = new RegExp(
  String.raw`^["”]?,?(?: who)?(?: is| was|['’]s)? (?:${ANCHOR} ${BETWEEN}${CHAIN}|an? ${BETWEEN}(?<plain>${ROLE_WORDS})(?: of (?<of>\p{Lu}[\p{L}\p{M}-]*))?)(?![\p{L}-])`,
  'u',
);
const OWNER = new RegExp(`${ANCHOR} ${BETWEEN}$`, 'u');
/** What `BEFORE` ends with, and what `OWNER` contains: most texts have neither, which these find out sooner. */
const ROLE_ENDINGS: ReadonlySet<string> = new Set(
  ROLE_WORDS.split('|').map((role) => role.split(' ').at(-1)!),
);
const OWNS = /['’]|\b[Mm]y|\b[Oo]ur/;
const PLACE = String.raw`(?<place>\p{Lu}[\p{L}\p{M}'’-]*(?: \p{Lu}[\p{L}\p{M}'’-]*){0,2})`;
const HOME = new RegExp(`^,?(?: who)? (?:lives|is living|has lived|is based|resides) in ${PLACE}`, 'u');
const MOVED = /^,?(?: who)? (?:has |is )?(?:moved|moving|relocated|relocating)\b/u;
const WORK = new RegExp(
  `^,?(?: who)? (?:works|is working|has worked|is employed) (?:at|for) (?:the )?${PLACE}`,
  'u',
);

/** Reads "X is Nora's colleague", "Nora's nephew X", "my cousin X", "X lives in Oslo", "X works at Acme". English. */
export function readClaims({ names, texts, me = 'my', isThing = false }: ClaimsInput): Claims {
  const claims = new ClaimsReader(me, isThing);
  const distinct = new Set(texts);
  for (const text of [...distinct].slice(0, MOST_TEXTS)) {
    const shown = text.slice(0, LONGEST_TEXT);
    for (const name of names) claims.read(shown, name);
  }
  return claims;
}

class ClaimsReader implements Claims {
  readonly roles = new Map<string, Role[]>();
  readonly owners = new Set<string>();
  readonly homes = new Set<string>();
  readonly works = new Set<string>();
  moved = false;
  readonly #me: string;
  readonly #isThing: boolean;

  constructor(me: string, isThing: boolean) {
    this.#me = me;
    this.#isThing = isThing;
  }

  read(text: string, name: string): void {
    if (name === '') return;
    for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + name.length)) {
      const end = at + name.length;
      if (isLetter(text[at - 1]) || isLetter(text[end])) continue;
      const isName = !this.#isThing && namesPerson(readName(name));
      this.#readBefore(text.slice(Math.max(0, at - WINDOW), at), isName);
      if (this.#isThing) continue;
      this.#readAfter(text.slice(end, end + WINDOW));
    }
  }

  #readBefore(before: string, isName: boolean): void {
    if (isName && mayEndInRole(before)) this.#addRole(BEFORE.exec(before)?.groups);
    const owner = isName || !OWNS.test(before) ? undefined : OWNER.exec(before)?.groups;
    if (owner !== undefined) this.owners.add(this.#anchorOf(owner));
  }

  #readAfter(after: string): void {
    this.#addRole(AFTER.exec(after)?.groups);
    this.moved ||= MOVED.test(after);
    const [home, work] = [HOME, WORK].map((pattern) => pattern.exec(after)?.groups?.place);
    if (home !== undefined) this.homes.add(entityNameKey(home));
    if (work !== undefined) this.works.add(entityNameKey(work));
  }

  #addRole(found: Found): void {
    if (found === undefined) return;
    const chain = (found.chain ?? found.plain ?? '').toLowerCase().match(ROLE_WORD) ?? [];
    const role = roleOfChain(chain);
    const anchor = this.#anchorOf(found);
    if (role === undefined || (anchor === '' && isTrade(chain))) return;
    this.roles.set(anchor, [...(this.roles.get(anchor) ?? []), role]);
  }

  #anchorOf(found: NonNullable<Found>): string {
    if (found.my !== undefined) return this.#me;
    return entityNameKey(found.anchor ?? found.of ?? '');
  }
}

/** Without a regular expression, which would try every position of the text. */
function mayEndInRole(before: string): boolean {
  let text = /["“]$/.test(before) ? before.slice(0, -1) : before;
  if (!text.endsWith(' ')) return false;
  text = text.slice(0, -1);
  if (text.endsWith(' named') || text.endsWith(' called')) text = text.slice(0, text.lastIndexOf(' '));
  if (text.endsWith(',')) text = text.slice(0, -1);
  return ROLE_ENDINGS.has(text.slice(text.lastIndexOf(' ') + 1));
}

type Found = Readonly<Partial<Record<'anchor' | 'my' | 'of' | 'chain' | 'plain', string>>> | undefined;
const ROLE_WORD = new RegExp(String.raw`(?<![\p{L}-])(?:${ROLE_WORDS})(?![\p{L}-])`, 'gu');

function isLetter(character: string | undefined): boolean {
  return character !== undefined && /[\p{L}\p{N}]/u.test(character);
}

export function saysNothing({ roles, owners, homes, works }: Claims): boolean {
  return roles.size + owners.size + homes.size + works.size === 0;
}

/** Merges the claims about one entity. */
export function mergeClaims(a: Claims, b: Claims): Claims {
  const roles = new Map(a.roles);
  for (const [anchor, held] of b.roles) roles.set(anchor, [...(roles.get(anchor) ?? []), ...held]);
  return {
    roles,
    owners: new Set([...a.owners, ...b.owners]),
    homes: new Set([...a.homes, ...b.homes]),
    works: new Set([...a.works, ...b.works]),
    moved: a.moved || b.moved,
  };
}

/**
 * The reason why two sets of claims are about different entities; null if one person may satisfy both. A role without
 * a named owner contradicts none: one person's cousin may be another's colleague.
 */
export function contradiction(a: Claims, b: Claims): string | null {
  for (const [anchor, roles] of a.roles) {
    const others = anchor === '' ? [] : rolesTo(anchor, b, isSameAnchor);
    const clash = others.length > 0 && !roles.some((role) => others.some((other) => mayBeBoth(role, other)));
    if (clash) return `${roles[0]!.group} and ${others[0]!.group}`;
  }
  if (areApart(a.owners, b.owners)) return 'different owners';
  if (areApart(a.homes, b.homes) && !a.moved && !b.moved) return 'homes in different places';
  return areApart(a.works, b.works) ? 'different employers' : null;
}

/** Whether both have the same role towards the same person. */
export function sharesRole(a: Claims, b: Claims): boolean {
  return [...a.roles].some(([anchor, roles]) =>
    rolesTo(anchor, b, mayBeSameAnchor).some((other) => roles.some((role) => mayBeBoth(role, other))),
  );
}

function rolesTo(
  anchor: string,
  { roles }: Claims,
  matches: (a: string, b: string) => boolean,
): readonly Role[] {
  return [...roles].flatMap(([other, held]) => (matches(anchor, other) ? held : []));
}

function isSameAnchor(a: string, b: string): boolean {
  return a !== '' && b !== '' && (a === b || a.split(' ')[0] === b || b.split(' ')[0] === a);
}

function mayBeSameAnchor(a: string, b: string): boolean {
  return a === '' || b === '' || isSameAnchor(a, b);
}

function areApart(a: ReadonlySet<string>, b: ReadonlySet<string>): boolean {
  if (a.size === 0 || b.size === 0) return false;
  return ![...a].some((one) =>
    [...b].some((two) => one === two || one.startsWith(`${two} `) || two.startsWith(`${one} `)),
  );
}
