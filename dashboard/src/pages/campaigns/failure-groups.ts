import type { MessageResponse } from '../../../generated';
import { saidByPhone } from '../../components/failure-text';
import { isFailure, mayHaveArrived } from './failures';

/** The messages that failed for the same reason. */
export type FailureGroup = readonly [MessageResponse, ...MessageResponse[]];

/** Groups failures by their reason, the most frequent first. */
export function groupFailures(messages: readonly MessageResponse[]): FailureGroup[] {
  const groups = new Map<string, FailureGroup>();
  for (const message of messages.filter(isFailure)) {
    const reason = JSON.stringify([message.errorCode, saidByPhone(message), mayHaveArrived(message)]);
    const group = groups.get(reason);
    groups.set(reason, group ? [...group, message] : [message]);
  }
  return [...groups.values()].sort((one, other) => other.length - one.length);
}
