/** Recipients of one request, in all its entries together. */
export const MOST_RECIPIENTS = 10_000;
/** Characters of a text, counted as people count them. */
export const MOST_CODE_POINTS = 1_600;
