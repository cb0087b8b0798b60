import type { PushResult } from '../push-transport';

const TOKEN_IS_DEAD: PushResult = { outcome: 'refused', code: 'PUSH_TOKEN_INVALID', tokenIsDead: true };
const REFUSED: PushResult = { outcome: 'refused', code: 'PUSH_REFUSED', tokenIsDead: false };
const UNAVAILABLE: PushResult = { outcome: 'unavailable' };
const DOUBT: PushResult = { outcome: 'doubt' };

/** The code of an error of firebase-admin, such as `messaging/invalid-argument`; empty for any other error. */
export function firebaseCode(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}

/** FCM has one code for a malformed message and for what never was a token; only its words tell them apart. */
const isMalformedToken = (error: unknown) =>
  error instanceof Error && /not a valid FCM registration token/i.test(error.message);

/**
 * What an error of firebase-admin says about a push. Only what FCM has answered, or what never left, is certain;
 * all else is doubt.
 * @param mayBeTaken whether the request had left.
 */
export function resultOfError(error: unknown, mayBeTaken: boolean): PushResult {
  const code = firebaseCode(error);
  switch (code) {
    case 'messaging/registration-token-not-registered':
    case 'messaging/invalid-registration-token':
      return TOKEN_IS_DEAD;
    case 'messaging/invalid-argument':
      return isMalformedToken(error) ? TOKEN_IS_DEAD : REFUSED;
    // Also the answer where the service account may not push: the token may be as good as ever.
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
    // Not signed in: FCM has not looked at the message, and the operator can mend it meanwhile.
    case 'messaging/authentication-error':
    case 'messaging/third-party-auth-error':
      return UNAVAILABLE;
    default:
      return mayBeTaken ? DOUBT : UNAVAILABLE;
  }
}
