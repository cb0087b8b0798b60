/** Failures that say nothing about the SIM. Numeric codes are the result codes of Android's `SmsManager`. */
const NOT_OF_THE_SIM: ReadonlySet<string> = new Set([
  // The message never reached the phone, or was taken back.
  'CANCELLED',
  'DEVICE_DELETED',
  'DEVICE_DISABLED',
  'EXPIRED',
  'PUSH_REFUSED',
  'PUSH_TOKEN_INVALID',
  'PUSH_TOO_LONG',
  'PUSH_UNAVAILABLE',
  'SUPPRESSED',
  '0', // a delivery report that was cancelled: the network had taken the message
  // The recipient is a short code that the phone may not send to.
  '7',
  '8',
  // The number or the text cannot be encoded or is invalid.
  '3',
  '11',
  '14',
  '18',
  '104',
  '107',
  '109',
]);

/**
 * Whether a failure counts against the SIM. Unknown codes do, and so does Android's generic failure, `1`, with which phones
 * report a carrier's block as well as an unknown number.
 */
export function countsAgainstSim(code: string | undefined): boolean {
  return code === undefined || !NOT_OF_THE_SIM.has(code);
}
