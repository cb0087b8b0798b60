import type { PushResult } from '../transport/push-transport';

const TOKEN_INVALID: PushResult = { outcome: 'refused', code: 'PUSH_TOKEN_INVALID', isTokenInvalid: true };
const REFUSED: PushResult = { outcome: 'refused', code: 'PUSH_REFUSED', isTokenInvalid: false };
const UNAVAILABLE: PushResult = { outcome: 'unavailable' };
const DOUBT: PushResult = { outcome: 'doubt' };

/** The code of a firebase-admin error, such as `messaging/invalid-argument`; empty for any other error. */
export function firebaseCode(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}

/** FCM uses one code for a malformed message and a malformed token; only the text distinguishes them. */
const isMalformedToken = (error: unknown) =>
  error instanceof Error && /not a valid FCM registration token/i.test(error.message);

/**
 * Maps a firebase-admin error to a push result. The outcome is `doubt` if the request was sent and FCM did not answer.
 * @param wasSent whether the request may have reached FCM.
 */
export function pushResultOfError(error: unknown, wasSent: boolean): PushResult {
  const code = firebaseCode(error);
  switch (code) {
    case 'messaging/registration-token-not-registered':
    case 'messaging/invalid-registration-token':
      return TOKEN_INVALID;
    case 'messaging/invalid-argument':
      return isMalformedToken(error) ? TOKEN_INVALID : REFUSED;
    // Also returned when the service account lacks permission, so the token may be valid.
    case 'messaging/mismatched-credential':
    case 'messaging/invalid-recipient':
    case 'messaging/invalid-payload':
    case 'messaging/invalid-data-payload-key':
    case 'messaging/payload-size-limit-exceeded':
    case 'messaging/invalid-options':
    case 'messaging/invalid-package-name':
      return REFUSED;
    case 'messaging/message-rate-exceeded':
    case 'messaging/device-message-rate-exceeded':
    case 'messaging/server-unavailable':
    // FCM has not processed the message, and the operator can fix the credentials meanwhile.
    case 'messaging/authentication-error':
    case 'messaging/third-party-auth-error':
      return UNAVAILABLE;
    default:
      return wasSent ? DOUBT : UNAVAILABLE;
  }
}
