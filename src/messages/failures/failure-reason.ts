/** Failure texts by error code. Numeric codes are the result codes of Android's `SmsManager`. */
const REASONS = {
  '1': 'The phone could not send the message (generic failure). Check its signal, its credit and the number, then send again.',
  '2': "The phone's radio is off. Switch off airplane mode and send again.",
  '3': 'The phone could not encode the message (null PDU). Check the text for unusual characters and send again.',
  '4': 'The phone has no service. Move it to where it has signal and send again.',
  '5': 'Android limits how many messages an app may send. Spread sends over time or over several phones.',
  '7': 'The short code was not allowed by the user of the phone. Allow it on the phone, then send again.',
  '8': 'Short codes are blocked on the phone. Allow premium messages for the app in its settings, then send again.',
  '17': 'The network refused the message. Wait a little and send again; if it persists, ask the operator of the SIM.',
  PERMISSION_DENIED: 'The app may not send SMS. Grant it the SMS permission on the phone, then send again.',
  SENDING_EXCEPTION:
    'The app could not hand the message to Android. Update or restart the app, then send again.',
  DEVICE_DISABLED: 'The device was disabled before the message left. Enable it, then send again.',
  DEVICE_DELETED: 'The device was deleted before the message left. Send again from another device.',
  PUSH_UNAVAILABLE:
    'The push service could not be reached for 30 minutes. Check its status, then send again.',
  PUSH_TOKEN_INVALID:
    'The push token of the phone is no longer valid. Open the app on the phone, then send again.',
  PUSH_REFUSED:
    'The push service refused the message. Check the push configuration of the server, then send again.',
  PUSH_TOO_LONG: 'The text is too long for the push service. Shorten it or split it, then send again.',
  EXPIRED:
    'The message was not handed to a phone, or by the phone to Android, before its deadline. Check the phone and the limits of its SIM, then send again if it is still wanted.',
  CANCELLED: 'The batch was cancelled before this message left. Send again if it is still wanted.',
};

/** The codes that have a reason of their own; phones may report others. */
export type FailureCode = keyof typeof REASONS;

const isKnown = (code: string): code is FailureCode => Object.hasOwn(REASONS, code);

/** Describes a failure code and how to fix it. */
export function failureReason(code: string | undefined): string {
  const known = code !== undefined && isKnown(code) ? REASONS[code] : undefined;
  return (
    known ??
    `The phone reported a failure${code === undefined ? '' : ` (code ${code})`}. Check the phone and the number, then send again.`
  );
}

/** The failure reason in a `MESSAGE_FAILED` event: the phone's own text, if any, followed by the suggested fix. */
export function failureReasonWithFix(code: string | undefined, reported: string | undefined): string {
  const fix = failureReason(code);
  if (reported === undefined || reported === fix) return fix;
  return `${/[.!?]$/.test(reported) ? reported : `${reported}.`} ${fix}`;
}
