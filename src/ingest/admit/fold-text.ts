const ASCII = /^[\0-\x7f]*$/;
/** Normalization takes longer than linear time for long runs of marks; no writing has so many. */
const TOO_MANY_MARKS = /(\p{M}{30})\p{M}+/gu;
/** The two characters that become 18 and 8. */
const LONG_LIGATURES = /([\ufdfa\ufdfb])[\s\ufdfa\ufdfb]+/g;
const APOSTROPHES = /[\u2018\u2019\u02bc`´]/g;
/** Zero-width characters, soft hyphens and the like, with which a word can be hidden from a search. */
const UNSEEN = /\p{Default_Ignorable_Code_Point}/gu;

/** Text as it is compared: case, width, ligatures, composition, invisible characters and kinds of apostrophe aside. */
export function foldText(text: string): string {
  if (ASCII.test(text)) return text.toLowerCase().replaceAll('`', "'");
  return text
    .replace(TOO_MANY_MARKS, '$1')
    .replace(LONG_LIGATURES, '$1 ')
    .replace(APOSTROPHES, "'")
    .replace(UNSEEN, '')
    .normalize('NFKC')
    .toUpperCase()
    .toLowerCase()
    .replaceAll('ς', 'σ')
    .normalize('NFC');
}
