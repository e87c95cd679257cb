import { type FamilyRules, part } from '../claim.ts';

const AGE =
  /^(?:is|turned|just turned|has turned|'s age is) (\d{1,3})(?: years old| years of age)?(?=$|,| (?:now|and|last|this|today|yesterday|on|in)\b)/;

export const age: FamilyRules = {
  cues: 'year old turn birthday age',
  read({ text }) {
    const years = AGE.exec(text)?.[1];
    if (years === undefined) return [];
    return [part({ family: 'age', phase: 'holds', value: new Set([years]), isOnly: true })];
  },
};
