import { partsOf } from '../text/segments';
import { isFailureCode, numericCode, otherFailure } from './failure-codes';
import reasons from './failure-reasons';
import remedies from './failure-remedies';
import { type LaterReport, laterReportText } from '../later-reports';

/** Not a `Pick` of the schema, whose decorators the dashboard cannot compile. */
interface FailedMessage {
  readonly errorCode?: string;
  readonly errorMessage?: string;
  readonly laterReports?: readonly LaterReport[];
  readonly message: string;
  readonly encryptedMessage?: string;
}

/** Describes a failure code and how to fix it. */
export function failureReason(code: string | undefined): string {
  const known = numericCode(code);
  return isFailureCode(known) ? `${reasons[known]} ${remedies[known]}` : otherFailure(code);
}

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

/** The failure reason reported by the phone, or the description of the code, as one sentence. */
export function reasonWithoutFix(code: string | undefined, reported: string | undefined): string {
  const isOfPhone = reported !== undefined && reported !== failureReason(code);
  if (isOfPhone) return asSentence(reported);
  const described = failureReason(code);
  return described.slice(0, described.indexOf('. ') + 1);
}

const asSentence = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`);

/** The failure reason in a `MESSAGE_FAILED` event: the phone's own text, if any, followed by the suggested fix. */
export function failureReasonWithFix(code: string | undefined, reported: string | undefined): string {
  const fix = failureReason(code);
  if (reported === undefined || reported === fix) return fix;
  return `${asSentence(reported)} ${fix}`;
}
