import { type ClaimPart, type FamilyRules, type Predicate, part } from '../claim.ts';
import { isChange, objectOf, wordsOf } from '../predicate.ts';

const HAS =
  /^(?:has(?: got)?|owns|drives|rides|is driving|keeps) ((?:an?|the|\S+['’]s|one|two|three|four|five|some) .+)$/;
const GOT = /^(?:(?:has )?(?:bought|got|gotten|adopted|purchased)) ((?:an?|the|\S+['’]s|one|two|three) .+)$/;
const GONE =
  /^(?:(?:has |had to )?(?:sold|sell|gave away|given away|got rid of|gotten rid of|donated|totall?ed|traded(?: in)?|returned|scrapped|rehomed)) (.+)$/;
const WITHOUT = /^(?:does not (?:have|own|drive)|no longer (?:has|owns|drives)) (.+)$/;
const DRIVES = /^(?:drives|is driving) /;
/** What one drives to earn money, or for others, says nothing of one's own car. */
const NOT_HIS =
  /\b(?:for (?:a living|work|uber|lyft|amazon|fedex|ups|dhl|the (?:city|company|firm|state|council)|an? \p{Ll}+)|at work|as (?:an? |his |her |their )|professionally|on \p{L}+days?|sometimes|occasionally|at (?:night|weekends)|this week|while|until|bus|truck|lorry|coach|taxi|cab|tram|trolley|train|forklift|tractor|ambulance|limousine|hearse|excavator|crane|rental|rented|hire|hired|borrowed|loaner|courtesy|company|police|fire|school|delivery|hard|bargain)\b/iu;

/** What somebody has. Things of one kind go together; "drives … now" and what was sold do not. */
export const possession: FamilyRules = {
  cues: 'have own drive car buy sell dog cat adopt get rid give away',
  read(predicate) {
    const { text } = predicate;
    const gone = GONE.exec(text)?.[1];
    if (gone !== undefined) return isHis(gone, predicate) ? thing('ends', gone) : [];
    const without = WITHOUT.exec(text);
    if (without !== null) return /\bany ?more\b|\bno longer\b/.test(text) ? thing('denies', without[1]!) : [];
    const has = HAS.exec(text)?.[1] ?? GOT.exec(text)?.[1];
    if (has === undefined) return [];
    const drives = DRIVES.exec(text);
    const isOwn = /^an? /.test(has) || isHis(has, predicate);
    const isOnly = drives !== null && isOwn && !NOT_HIS.test(text.slice(drives[0].length));
    return thing('holds', has).map((each) => ({
      ...each,
      isOnly,
      isChange: isOnly && isChange(predicate),
      kind: isOnly ? 'car' : '',
    }));
  },
};

/** "Sold Hugo's Volvo", "sold the Volvo", "sold his Volvo"; "sold a painting" is trade. */
function isHis(said: string, { holderNames }: Predicate): boolean {
  if (/^(?:the|that|his|her|their|all) /i.test(said)) return true;
  const lower = said.toLowerCase();
  return holderNames.some(
    (name) => /^['’]s? /.test(lower.slice(name.length)) && lower.startsWith(name.toLowerCase()),
  );
}

function thing(phase: ClaimPart['phase'], said: string): ClaimPart[] {
  const noun = objectOf(said)
    .split(/ (?:with|for|from|in|at|named|called|on|to|about|of) /)[0]!
    .replace(/^(?:an?|the|that|his|her|their|one|two|three|four|five|some|all|\S+['’]s) /i, '')
    .replace(/^(?:old|new|little|big|beloved|second[- ]hand|used) /, '');
  const value = wordsOf(noun);
  return value.size === 0 ? [] : [part({ family: 'possession', phase, value })];
}
