import { type FailureCode, OTHER_FAILURE } from './failure-codes';

/** What went wrong, by error code, as a sentence that the dashboard translates. */
export default {
  '1': 'The phone could not send the message (generic failure).',
  '2': "The phone's radio is off.",
  '3': 'The phone could not encode the message.',
  '4': 'The phone has no service.',
  '5': 'Android limits how many messages an app may send.',
  '7': 'The short code was not allowed by the user of the phone.',
  '8': 'Short codes are blocked on the phone.',
  '17': 'The network refused the message.',
  PERMISSION_DENIED: 'The app may not send SMS.',
  SENDING_EXCEPTION: 'The app could not hand the message to Android.',
  SIM_NOT_FOUND: 'The phone does not have the SIM, or the app may not choose one.',
  DELIVERY_FAILED: 'The network could not deliver the message.',
  DEVICE_DISABLED: 'The device was disabled before the message left.',
  DEVICE_DELETED: 'The device was deleted before the message left.',
  PUSH_UNAVAILABLE: 'The push service could not be reached for 30 minutes.',
  PUSH_TOKEN_INVALID: 'The push token of the phone is no longer valid.',
  PUSH_REFUSED: 'The push service refused the message.',
  PUSH_TOO_LONG: 'The text is too long for the push service.',
  EXPIRED: 'The message was not handed to a phone, or by the phone to Android, before its deadline.',
  PHONE_UNREACHABLE: 'The phone could not be reached for 72 hours.',
  CANCELLED: 'The batch was cancelled before this message left.',
  SUPPRESSED: 'The recipient is blocked: the message was not sent.',
  other: OTHER_FAILURE.reason,
  otherWithCode: OTHER_FAILURE.reasonWithCode,
  /** What the phone itself said. */
  quoted: '“{{text}}”',
  contradicted: 'Afterwards the phone reported otherwise: ask the recipient before you send it again.',
} satisfies Record<FailureCode, string> & Record<string, string>;
