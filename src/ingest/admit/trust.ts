import { type Role, TRUST_LEVELS, type Trust } from '../../model/nodes.ts';
import { LOW_TRUST_CONFIDENCE } from './defaults.ts';

/** Default trust of a turn: low for tool output, because anybody may have written it. */
export function trustOf(role: Role): Trust {
  return role === 'tool' ? 'low' : 'normal';
}

/** The trust of a fact that several turns support: the highest of theirs, low without any. */
export function highestTrust(trusts: readonly Trust[]): Trust {
  return TRUST_LEVELS.findLast((level) => trusts.includes(level)) ?? 'low';
}

/**
 * Limits confidence to `LOW_TRUST_CONFIDENCE` for a fact that only low-trust turns support. A web page that says "the
 * user moved to Oslo" is stored and searchable but must not outweigh the user: a plain statement of theirs has 0.9,
 * one with "might" still 0.6. Other confidences are unchanged, and none is raised.
 */
export function capConfidence(confidence: number, trust: Trust): number {
  return trust === 'low' ? Math.min(confidence, LOW_TRUST_CONFIDENCE) : confidence;
}
