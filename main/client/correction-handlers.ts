import type { Corrections } from '../../src/engine/corrections/corrections.ts';
import type { Mnemis } from '../../src/engine.ts';
import type { CorrectionListing } from '../../src/model/correction-input.ts';
import type { Corrected, InputOf } from '../contract.ts';
import { given } from './given.ts';
import type { Handlers } from './handlers.ts';

/** The methods on what people put right by hand, by an engine in this process. */
export function correctionHandlers(engine: Mnemis) {
  return {
    correct: async ({ scope, ...wanted }) => correct(engine.scope(scope).corrections, wanted),
    corrections: async ({ scope, ...listing }) =>
      engine.scope(scope).corrections.list(given(listing) as CorrectionListing),
    uncertain: async ({ scope }) => engine.scope(scope).corrections.uncertain(),
  } satisfies Partial<Handlers>;
}

function correct(
  corrections: Corrections,
  { correction: wanted, author }: Omit<InputOf<'correct'>, 'scope'>,
): Promise<Corrected> {
  const options = { author };
  switch (wanted.kind) {
    case 'edit-fact':
      return corrections.editFact(wanted.fact, wanted.patch, options);
    case 'reject-fact':
      return corrections.rejectFact(wanted.fact, options);
    case 'pin-fact':
      return corrections.pinFact(wanted.fact, options);
    case 'edit-profile':
      return corrections.editProfile(wanted.entity, wanted.patch, options);
    case 'merge-entities':
      return corrections.mergeEntities(wanted.keep, wanted.merged, options);
    case 'split-entity': {
      const { kind: _, entity, ...part } = wanted;
      return corrections.splitEntity(entity, part, options);
    }
    case 'keep-apart':
      return corrections.keepApart(...wanted.entities, options);
    case 'undo':
      return corrections.undo(wanted.correction, options);
  }
}
