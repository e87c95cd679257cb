import { type ClaimPart, type FamilyRules, type Predicate, part } from '../claim.ts';
import { isChange, nameWords, objectOf } from '../predicate.ts';
import { isRegion } from '../regions.ts';

const LIVES =
  /^(?:lives|resides|is (?:living|based|settled)|has (?:lived|been living)|settled(?: down)?|stays) (?:back |again |alone |together |mostly |all year )*(?:in|at|near|on) (.+)$/;
const MOVED =
  /^(?:moved|relocated|(?:has|have) (?:just )?(?:moved|relocated)) (?:back |home |out |away |over |down |up |again )*(?:from .{1,40}? )?(?:to|into) (.+)$/;
const LEFT =
  /^(?:moved (?:out of|away from)|(?:has )?left|does not live(?: any ?more)? in|no longer lives in) (.+)$/;

/** Where somebody lives: in one place at a time. */
export const home: FamilyRules = {
  cues: 'live move home settle relocate reside house flat apartment',
  read(predicate) {
    const lives = LIVES.exec(predicate.text);
    if (lives !== null) return place(predicate, lives[1]!, 'holds');
    const moved = MOVED.exec(predicate.text);
    if (moved !== null) return place(predicate, moved[1]!, 'begins');
    const left = LEFT.exec(predicate.text);
    if (left === null) return [];
    const value = nameWords(objectOf(left[1]!));
    return value.size === 0 ? [] : [part({ family: 'home', phase: 'denies', value })];
  },
};

function place(predicate: Predicate, said: string, phase: 'holds' | 'begins'): ClaimPart[] {
  const value = nameWords(objectOf(said).split(/ (?:with|near|for|next to|on|in a|in an|in the) /)[0]!);
  if (value.size === 0) return [];
  const kind = isRegion(objectOf(said)) ? 'region' : 'place';
  return [
    part({
      family: 'home',
      phase,
      value,
      kind,
      isOnly: true,
      isChange: phase === 'begins' || isChange(predicate),
    }),
  ];
}
