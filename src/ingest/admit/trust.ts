import { type Role, TRUST_LEVELS, type Trust } from '../../model/nodes.ts';

/** What facts that rest on low-trust turns alone may have at most. */
export const LOW_TRUST_CONFIDENCE = 0.4;

/** The trust of a turn whose caller does not say it: what a tool returns, anybody may have written for any purpose. */
export function trustOf(role: Role): Trust {
  return role === 'tool' ? 'low' : 'normal';
}

/** A fact may rest on several turns: the most trusted one carries it. Low without any. */
export function highestTrust(trusts: readonly Trust[]): Trust {
  return TRUST_LEVELS.findLast((level) => trusts.includes(level)) ?? 'low';
}

/**
 * At most `LOW_TRUST_CONFIDENCE` for what rests on low-trust turns alone. A web page that says "the user moved to
 * Oslo" is kept and can be found, but must not outvote the user: a plain statement of theirs has 0.9, one that they
 * made with "might" still 0.6. What nobody doubts stays as it is, and nothing is ever raised.
 */
export function capConfidence(confidence: number, trust: Trust): number {
  return trust === 'low' ? Math.min(confidence, LOW_TRUST_CONFIDENCE) : confidence;
}
