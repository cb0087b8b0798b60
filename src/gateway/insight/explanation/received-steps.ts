import type { Facts } from './facts';
import { phoneNameOf } from './names';
import { type Step, step, stepIf } from './steps';

export function receivedSteps(facts: Facts): Step[] {
  const { message } = facts;
  const { receivedAt, originalCreatedAt, createdAt, sender, raised } = message;
  const { truncated, fingerprint, overLimit, repairedFields = [] } = message;
  const phone = phoneNameOf(facts, message.device);
  const storedAt = originalCreatedAt ?? createdAt;
  return [
    step('received', receivedAt ?? createdAt, { phone, sender }),
    step('uploaded', storedAt, { phone }),
    ...stepIf('uploaded_late', originalCreatedAt),
    ...stepIf('truncated', truncated && storedAt),
    ...repairedFields.map((field) => step('repaired', storedAt, { field })),
    ...stepIf('deduplicated', Boolean(fingerprint) && storedAt),
    ...stepIf('over_limit', overLimit && storedAt),
    ...stepIf('not_announced', raised.length === 0 && originalCreatedAt),
  ];
}
