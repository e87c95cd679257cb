import { cached } from '../../util/collections.ts';
import { type Claim, FAMILIES, type Family, type Phase } from './compare-claims.ts';
import { type ClaimPattern, FAMILY_TABLE } from './family-table.ts';
import { isChange, isQualified, type Predicate, readPredicates, rejectedIn } from './predicate.ts';
import { readValues } from './read-values.ts';
import type { JudgedFact } from './superseder.ts';

/** A description of a photo states nothing about the speaker. */
const SHOWN = /\bshared a photo\b/;

/** A fact is asked as a new one and as a candidate of others, for its cues and for its claims. */
const readings = new WeakMap<JudgedFact, ClaimReading>();

/** The claims of a statement about its holders, by family; each family is read on demand, once for each view of a fact. */
export class ClaimReading {
  static of(fact: JudgedFact): ClaimReading {
    return cached(readings, fact, () => new ClaimReading(fact));
  }

  readonly #fact: JudgedFact;
  readonly #read = new Map<Family, readonly Claim[]>();
  #predicates: readonly Predicate[] | null = null;

  constructor(fact: JudgedFact) {
    this.#fact = fact;
  }

  claims(family: Family): readonly Claim[] {
    return cached(this.#read, family, () => {
      this.#predicates ??= SHOWN.test(this.#fact.statement) ? [] : readPredicates(this.#fact);
      return readFamily(family, this.#predicates, this.#fact);
    });
  }

  all(): Claim[] {
    return FAMILIES.flatMap((family) => this.claims(family));
  }
}

function readFamily(family: Family, predicates: readonly Predicate[], { event }: JudgedFact): Claim[] {
  const claims = new Map<string, Claim>();
  for (const predicate of predicates) {
    for (const claim of claimsIn(predicate, family, event)) {
      const { holder, slot, phase, kind, verb, value } = claim;
      const key = JSON.stringify([holder, slot, phase, kind, verb, [...value]]);
      if (!claims.has(key)) claims.set(key, claim);
    }
  }
  return [...claims.values()];
}

function* claimsIn(predicate: Predicate, family: Family, event: Claim['event']): Generator<Claim> {
  for (const pattern of FAMILY_TABLE[family].patterns) {
    const match = pattern.says.exec(predicate.text);
    if (match === null) continue;
    const applies =
      pattern.unless?.test(predicate.statement) !== true && !isPartial(pattern.phase, predicate);
    if (applies) yield* claimed(pattern, { family, predicate, event, groups: match.groups });
    if (pattern.also !== true) return;
  }
}

/** "Does not drink coffee after noon" is only a partial denial. */
function isPartial(phase: Phase, { text }: Predicate): boolean {
  return phase === 'denies' && isQualified(text.split(' and ')[0]!);
}

interface Match {
  readonly family: Family;
  readonly predicate: Predicate;
  readonly event: Claim['event'];
  readonly groups: Readonly<Record<string, string>> | undefined;
}

function claimed(pattern: ClaimPattern, { family, predicate, event, groups }: Match): Claim[] {
  const { phase, value: reader } = pattern;
  const { holder, holderName, text } = predicate;
  const said = {
    value: (groups?.value ?? '').trim(),
    verb: groups?.verb ?? '',
    slot: groups?.slot ?? '',
    phase,
    predicate,
    isDated: event !== null,
  };
  const values = reader === undefined ? [{ value: new Set<string>() }] : readValues(reader, said);
  return values.map((read) => ({
    family,
    phase,
    holder,
    holderName,
    event,
    verb: '',
    name: '',
    slot: pattern.slot ?? '',
    kind: pattern.kind ?? '',
    isOnly: pattern.isOnly ?? false,
    isChange: pattern.isChange ?? (isChange(predicate) || rejectedIn(predicate).size > 0),
    isSeveral: / and /.test(text),
    ...read,
  }));
}

/** Words that find other facts of the same families. */
export function cuesOf(fact: JudgedFact): string {
  const families = new Set(
    ClaimReading.of(fact)
      .all()
      .map(({ family }) => family),
  );
  return [...families].map((family) => FAMILY_TABLE[family].cues).join(' ');
}
