export const MAX_RECIPIENTS = 10_000;
export const MAX_CODE_POINTS = 1_600;
/** Leaves room for the other fields within FCM's limit of 4,096 bytes. */
export const MAX_ENCRYPTED_BYTES = 2_800;

export const MIN_VALIDITY_SECONDS = 10;
/** 30 days. */
export const MAX_VALIDITY_SECONDS = 2_592_000;
