import { timeline } from './english-timeline.ts';

/** The texts of the timeline and of Compare, which are loaded with these screens; see `text`. */
export const timelineText = timeline;
