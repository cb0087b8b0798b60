import { BASE_PATH } from './base-path';

let isLeaving = false;
// Also when the browser shows a page again that it has kept.
addEventListener('pageshow', () => (isLeaving = false));

/** Whether the page is being left, because nobody is signed in. */
export const isLeavingForSignIn = (): boolean => isLeaving;

/**
 * Leads to the sign-in page. Calls that fail meanwhile do not lead there again, which would stop this navigation.
 * @param address without the base path.
 */
export function leaveForSignIn(address = '/sign-in'): void {
  if (isLeaving) return;
  isLeaving = true;
  location.assign(BASE_PATH + address);
}
