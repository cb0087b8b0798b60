import type { HeldBackResponse } from '../../generated';

type WaitReason = HeldBackResponse['reason'];

const AS_SET: ReadonlySet<WaitReason> = new Set<WaitReason>([
  'parts_per_minute',
  'messages_per_hour',
  'messages_per_day',
  'messages_per_month',
  'recipients_per_month',
  'sim_disabled',
  'phone_fetch',
  'quiet_hours',
  'paused',
]);

/** Whether messages wait because their owner has set it so, and nothing needs repair. */
export const isAsSet = (reason: WaitReason): boolean => AS_SET.has(reason);
