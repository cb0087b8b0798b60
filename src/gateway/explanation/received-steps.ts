import type { Facts } from './facts';
import { phoneName } from './names';
import { type Step, step, stepIf } from './steps';

export function receivedSteps(facts: Facts): Step[] {
  const { message } = facts;
  const { receivedAt, originalCreatedAt, createdAt, sender, raised } = message;
  const { truncated, fingerprint, overLimit } = message;
  const phone = phoneName(facts, message.device);
  const storedAt = originalCreatedAt ?? createdAt;
  const from = sender === undefined ? '' : ` from ${sender}`;
  return [
    step('received', receivedAt ?? createdAt, `${phone} received it${from}.`),
    step('uploaded', storedAt, `${phone} uploaded it, and it was stored.`),
    ...stepIf(
      'uploaded_late',
      originalCreatedAt,
      'That was more than 24 hours later: lists show it at the time it was received.',
    ),
    ...stepIf(
      'truncated',
      truncated && storedAt,
      'Its text or its sender was longer than what is stored, and was cut.',
    ),
    ...stepIf(
      'deduplicated',
      Boolean(fingerprint) && storedAt,
      'When the phone uploads it again, it is recognised and not stored twice.',
    ),
    ...stepIf(
      'over_limit',
      overLimit && storedAt,
      'It arrived while the account was over the limit of its plan, and was stored all the same.',
    ),
    ...stepIf(
      'not_announced',
      raised.length === 0 && originalCreatedAt,
      'It was uploaded more than 48 hours late, so it raised no event and no webhook is told.',
    ),
  ];
}
