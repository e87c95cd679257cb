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

/** Profiles that a model writes in one call. */
export const ENTITIES_PER_CALL = 12;
