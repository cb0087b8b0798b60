import { type FailureCode, OTHER_FAILURE } from './failure-codes';

/** What to do about a failure, by error code, as a sentence that the dashboard translates. */
export default {
  '1': 'Check its signal, its credit and the number, then send again.',
  '2': 'Switch off airplane mode and send again.',
  '3': 'Check the text for unusual characters and send again.',
  '4': 'Move it to where it has signal and send again.',
  '5': 'Spread sends over time or over several phones.',
  '7': 'Allow it on the phone, then send again.',
  '8': 'Allow premium messages for the app in its settings, then send again.',
  '17': 'Wait a little and send again; if it persists, ask the operator of the SIM.',
  PERMISSION_DENIED: 'Grant it the SMS permission on the phone, then send again.',
  SENDING_EXCEPTION: 'Update or restart the app, then send again.',
  SIM_NOT_FOUND: 'Put the SIM back and allow the app the permission Phone, then send again.',
  DELIVERY_FAILED: 'Check the number, then send again.',
  DEVICE_DISABLED: 'Enable it, then send again.',
  DEVICE_DELETED: 'Send again from another device.',
  PUSH_UNAVAILABLE: 'Check its status, then send again.',
  PUSH_TOKEN_INVALID: 'Open the app on the phone, then send again.',
  PUSH_REFUSED: 'Check the push configuration of the server, then send again.',
  PUSH_TOO_LONG: 'Shorten it or split it, then send again.',
  EXPIRED: 'Check the phone and the limits of its SIM, then send again if it is still wanted.',
  PHONE_UNREACHABLE:
    'Switch it on, connect it to the internet and open the app, then send again if it is still wanted.',
  CANCELLED: 'Send again if it is still wanted.',
  SUPPRESSED:
    'If it answers what the recipient asked for, send it again with the purpose transactional. Otherwise the recipient can text START, or you lift the block.',
  other: OTHER_FAILURE.remedy,
} satisfies Record<FailureCode | 'other', string>;
