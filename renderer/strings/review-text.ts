import { review } from './english-review.ts';

/** The texts of Review, which are loaded with these screens; see `text`. */
export const reviewText = review;
