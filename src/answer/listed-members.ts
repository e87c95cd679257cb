import { analyze } from '../search/analyzer.ts';
import { MOST_ENUMERATED, NEARLY_AS_GOOD } from './defaults.ts';
import type { KindMembers } from './members-of-kind.ts';
import type { Passage } from './passages.ts';
import { repliedTo, type ScoredQuote, type TermKnowledge } from './score-quotes.ts';
import { isDenial } from './verdict.ts';

const OWNER = String.raw`(?:(?:[Mm]y|[Yy]our|[Hh]is|[Hh]er|[Ii]ts|[Oo]ur|[Tt]heir|[Tt]he|\p{Lu}[\p{L}-]{0,40}['’]s?) )`;
/** "The names of her pets", "my kids' names", "What are my hobbies?", "What are his dogs called?" */
const KINDS = [
  String.raw`\b[Nn]ames? of (?:all )?(?:of )?${OWNER}?(?<kind>\p{Ll}{2,40})`,
  String.raw`\b${OWNER}(?<kind>\p{Ll}{2,40})['’]s? names?\b`,
  String.raw`^\s*(?:[Ww]hat|[Ww]ho|[Ww]hich) (?:are|were) (?:all )?(?:of )?${OWNER}(?:\p{Ll}{2,40} )?(?<kind>\p{Ll}{1,40}(?:s|ren))(?: (?:called|named))?[\s?]*$`,
].map((pattern) => new RegExp(pattern, 'u'));

const ASKS_FOR_SEVERAL = /^\s*(?:(?:and|so|please)\s+)?(?:which|what|who|list|name|tell me|show me)\b/i;
const PLURAL = /\p{L}{2}(?:(?<![sui'’])s|ren|men|people|feet|mice)$/iu;
/** It asks for a number or for one kind, or supposes something. */
const ASKS_OTHERWISE =
  /\bhow (?:many|much|long|often|old)\b|\b(?:type|kind|sort|genre) of\b|\b(?:might|would|could|should)\b/i;

/**
 * The kind that a question asks to list, as written: "hobbies"; null if it asks for one thing or for a number.
 *
 * @param kindWords What its question word asks for, or empty.
 */
export function listedKind(question: string, kindWords: string): string | null {
  if (!ASKS_FOR_SEVERAL.test(question) || ASKS_OTHERWISE.test(question)) return null;
  const found = KINDS.map((pattern) => pattern.exec(question)?.groups?.kind).find(
    (kind) => kind !== undefined,
  );
  const kind = found ?? kindWords;
  return PLURAL.test(kind) ? kind : null;
}

/**
 * One quote for each thing of the asked kind, the best first, each thing once; empty if fewer than two things are named,
 * so that nothing is listed.
 */
export function listedMembers(
  quotes: readonly ScoredQuote[],
  members: KindMembers,
  isSpeaker: TermKnowledge['isSpeaker'],
): readonly Passage[] {
  const isTold = quotes.some(({ about }) => about > 0);
  const scored = quotes.filter(({ about }) => about > 0 || !isTold);
  const covered = scored.reduce((most, quote) => Math.max(most, coverageOf(quote)), 0);
  const known: string[] = [];
  const listed = new Map<string, { readonly lead: ScoredQuote; readonly names: string[] }>();
  const isNobody = (name: string) => !analyze(name).every(isSpeaker);
  for (const lead of scored) {
    const isCaption = lead.text.startsWith('[');
    if (isCaption || coverageOf(lead) < NEARLY_AS_GOOD * covered || isDenial(lead.text)) continue;
    const named = [
      ...members.namesIn(lead.text, repliedTo(lead) ?? ''),
      ...lead.members.filter(members.isName),
    ].filter(isNobody);
    const names = (named.length > 0 ? named : members.nounsIn(lead.text)).filter(
      (name, at, all) => ![...known, ...all.slice(0, at)].some((other) => members.isOne(name, other)),
    );
    if (names.length === 0) continue;
    const before = listed.get(lead.item.id);
    if (before === undefined && listed.size === MOST_ENUMERATED) break;
    known.push(...names);
    if (before === undefined) listed.set(lead.item.id, { lead, names });
    else before.names.push(...names);
  }
  if (known.length < 2) return [];
  return Array.from(listed.values(), ({ lead, names }) => ({ lead, quotes: [lead], names }));
}

function coverageOf({ coverage, coverageAround }: ScoredQuote): number {
  return (coverage + coverageAround) / 2;
}
