import { reasonWithoutFix } from './failures/failure-reason';
import { laterReportText } from './later-reports';
import type { Message } from './message.schema';
import { partsOf } from './text/segments';

type FailedMessage = Pick<
  Message,
  'errorCode' | 'errorMessage' | 'laterReports' | 'message' | 'encryptedMessage'
>;

/**
 * What a failed message says of its failure. If the phone reported something else afterwards, that takes the place of the fix,
 * which would be to send it again.
 */
export function failureText(message: FailedMessage): string | undefined {
  const { errorCode, errorMessage, laterReports } = message;
  const last = laterReports?.at(-1);
  if (errorMessage === undefined || !last) return errorMessage;
  return `${reasonWithoutFix(errorCode, errorMessage)} ${laterReportText(last, 'the phone', partsOf(message))}`;
}
