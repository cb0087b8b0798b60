/** The codes that have a reason of their own. Numeric ones are the result codes of Android's `SmsManager`. */
export const FAILURE_CODES = [
  '1',
  '2',
  '3',
  '4',
  '5',
  '7',
  '8',
  '17',
  'PERMISSION_DENIED',
  'SENDING_EXCEPTION',
  'SIM_NOT_FOUND',
  'DELIVERY_FAILED',
  'DEVICE_DISABLED',
  'DEVICE_DELETED',
  'PUSH_UNAVAILABLE',
  'PUSH_TOKEN_INVALID',
  'PUSH_REFUSED',
  'PUSH_TOO_LONG',
  'EXPIRED',
  'PHONE_UNREACHABLE',
  'CANCELLED',
  'SUPPRESSED',
] as const;
export type FailureCode = (typeof FAILURE_CODES)[number];

/** Results of Android's `SmsManager` by the names of its constants, which some apps report. */
const RESULT_NUMBERS: Readonly<Record<string, string>> = {
  RESULT_ERROR_GENERIC_FAILURE: '1',
  RESULT_ERROR_RADIO_OFF: '2',
  RESULT_ERROR_NULL_PDU: '3',
  RESULT_ERROR_NO_SERVICE: '4',
  RESULT_ERROR_LIMIT_EXCEEDED: '5',
  RESULT_ERROR_SHORT_CODE_NOT_ALLOWED: '7',
  RESULT_ERROR_SHORT_CODE_NEVER_ALLOWED: '8',
  RESULT_INVALID_ARGUMENTS: '11',
  RESULT_INVALID_SMS_FORMAT: '14',
  RESULT_NETWORK_ERROR: '17',
  RESULT_ENCODING_ERROR: '18',
};

/** A failure code by its number, if the phone has reported a name for it. */
export const numericCode = <Code extends string | undefined>(code: Code): Code | string =>
  code === undefined ? code : (RESULT_NUMBERS[code] ?? code);

/** Phones may report others. */
export const isFailureCode = (code: string | undefined): code is FailureCode =>
  FAILURE_CODES.some((each) => each === code);

/** The texts of a failure without a code of its own. */
export const OTHER_FAILURE = {
  reason: 'The phone reported a failure.',
  reasonWithCode: 'The phone reported a failure (code {{code}}).',
  remedy: 'Check the phone and the number, then send again.',
} as const;

/** Describes a failure without a code of its own. */
export function otherFailure(code: string | undefined): string {
  const { reason, reasonWithCode, remedy } = OTHER_FAILURE;
  return `${code === undefined ? reason : reasonWithCode.replace('{{code}}', () => code)} ${remedy}`;
}
