import type { TFunction } from 'i18next';
import { isFailureCode, numericCode, otherFailure } from '../../../src/messages/failures/failure-codes';
import type { MessageResponse } from '../../generated';

export type Failure = Pick<MessageResponse, 'errorCode' | 'errorMessage' | 'laterReports'>;

/** What went wrong, as a sentence. */
export function failureReason(t: TFunction, code: string | undefined): string {
  const known = numericCode(code);
  if (isFailureCode(known)) return t(`failures.${known}`);
  return code === undefined ? t('failures.other') : t('failures.otherWithCode', { code });
}

/**
 * What went wrong, in a line: with the words of the phone where its code says nothing, and with a warning where it reported
 * otherwise afterwards.
 */
export function failureText(t: TFunction, failure: Failure): string {
  const said = saidByPhone(failure);
  return [
    failureReason(t, failure.errorCode),
    ...(said === undefined ? [] : [t('failures.quoted', { text: said })]),
    ...(failure.laterReports ? [t('failures.contradicted')] : []),
  ].join(' ');
}

/** The words of the phone, if its code has no reason of its own. Those of a later report are the service's. */
export function saidByPhone({ errorCode, errorMessage, laterReports }: Failure): string | undefined {
  const isDescribed = isFailureCode(numericCode(errorCode)) || errorMessage === otherFailure(errorCode);
  return isDescribed || laterReports ? undefined : errorMessage;
}

/** What to do about a failure, as a sentence. */
export function failureRemedy(t: TFunction, code: string | undefined): string {
  const known = numericCode(code);
  return t(isFailureCode(known) ? `failures.remedies.${known}` : 'failures.remedies.other');
}
