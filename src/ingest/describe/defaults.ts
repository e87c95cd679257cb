/** Characters of a profile's summary by rules. */
export const MAX_SUMMARY_LENGTH = 400;
/** Tags of a profile. */
export const MAX_TAGS = 5;
/** Keywords of a segment. */
export const MAX_KEYWORDS = 8;
/** Characters of a segment's summary. */
export const MAX_SEGMENT_SUMMARY = 700;

/** Maximum number of stored facts per summary, newest first. */
export const FACTS_PER_SUMMARY = 40;

/**
 * Characters of a summary by a model. Up to this length, new descriptions are added to the summary so far without a
 * call.
 */
export const MAX_WRITTEN_SUMMARY = 600;

/** Profiles that a model writes in one call, and characters of notes on one of them. */
export const ENTITIES_PER_CALL = 12;
export const NOTES_PER_CALL = 1_500;
