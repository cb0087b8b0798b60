/** Recipients of one request, in all its entries together. */
export const MOST_RECIPIENTS = 10_000;
/** Unicode code points of a text. */
export const MOST_CODE_POINTS = 1_600;
/** Bytes of an encrypted text; FCM carries 4,096 with all that goes beside it. */
export const MAX_ENCRYPTED_BYTES = 2_800;
