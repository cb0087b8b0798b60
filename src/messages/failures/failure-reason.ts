import { isFailureCode, numericCode, otherFailure } from './failure-codes';
import reasons from './failure-reasons';
import remedies from './failure-remedies';

/** Describes a failure code and how to fix it. */
export function failureReason(code: string | undefined): string {
  const known = numericCode(code);
  return isFailureCode(known) ? `${reasons[known]} ${remedies[known]}` : otherFailure(code);
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
