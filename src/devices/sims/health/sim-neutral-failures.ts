/** Failures that say nothing about the SIM. Numeric codes are the result codes of Android's `SmsManager`. */
const NOT_OF_THE_SIM: ReadonlySet<string> = new Set([
  // The message never reached the phone, or was taken back.
  'CANCELLED',
  'DEVICE_DELETED',
  'DEVICE_DISABLED',
  'EXPIRED',
  'PHONE_UNREACHABLE',
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
  // The same, as some apps report them.
  'RESULT_ERROR_SHORT_CODE_NOT_ALLOWED',
  'RESULT_ERROR_SHORT_CODE_NEVER_ALLOWED',
  'RESULT_ERROR_NULL_PDU',
  'RESULT_INVALID_ARGUMENTS',
  'RESULT_INVALID_SMS_FORMAT',
  'RESULT_ENCODING_ERROR',
]);

/**
 * Whether a failure counts against the SIM. Unknown codes do, and so does Android's generic failure, `1`, with which phones
 * report a carrier's block as well as an unknown number.
 */
export function countsAgainstSim(code: string | undefined): boolean {
  return code === undefined || !NOT_OF_THE_SIM.has(code);
}
