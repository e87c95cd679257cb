import type { Role } from '../../model/nodes.ts';

/** How far a turn's word counts, from least to most. */
export const TRUSTS = ['low', 'normal', 'high'] as const;
export type Trust = (typeof TRUSTS)[number];

/** What facts that rest on low-trust turns alone may have at most. */
export const LOW_TRUST_CONFIDENCE = 0.4;

const TRUST_OF_ROLE: Readonly<Record<Role, Trust>> = {
  // Whose memory it is.
  user: 'high',
  // A model repeats and concludes.
  assistant: 'normal',
  // The developer's words, and other people's.
  system: 'normal',
  other: 'normal',
  // Web pages, files and programs' output: anybody may have written them, for any purpose.
  tool: 'low',
};

/** The trust of a turn whose caller does not say it. */
export function trustOf(role: Role): Trust {
  return TRUST_OF_ROLE[role];
}

/** A fact may rest on several turns: the most trusted one carries it. Low without any. */
export function highestTrust(trusts: readonly Trust[]): Trust {
  return trusts.reduce<Trust>(
    (best, each) => (TRUSTS.indexOf(each) > TRUSTS.indexOf(best) ? each : best),
    'low',
  );
}

/**
 * At most `LOW_TRUST_CONFIDENCE` for what rests on low-trust turns alone. A web page that says "the user moved to
 * Oslo" is kept and can be found, but must not outvote the user: a plain statement of theirs has 0.9, one that they
 * made with "might" still 0.6. What nobody doubts stays as it is, and nothing is ever raised.
 */
export function capConfidence(confidence: number, trust: Trust): number {
  return trust === 'low' ? Math.min(confidence, LOW_TRUST_CONFIDENCE) : confidence;
}
