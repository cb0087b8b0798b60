/** Documents in the first answer to a query whose result is bounded, instead of 101 and a second command for the rest. */
export const CURSOR_BATCH_SIZE = 2_000;
