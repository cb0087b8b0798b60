import { quietWait, type QuietWait } from '../../quiet-hours/quiet-wait';
import type { SendPlanMessage } from './send-plan';
import type { ValidatedSend } from '../../send-input/send-validation';

/**
 * How long a message of a planned send waits for the quiet hours of its recipient.
 * @param number in E.164; any other text has no time zone of its own.
 * @returns undefined if it does not; `delayMs` is counted from the time that is planned.
 */
export function plannedQuietWait(
  { quietHours, priority }: ValidatedSend,
  { sender, dueAt = new Date(0), waveOffsetMs = 0, groupStart }: SendPlanMessage,
  number: string,
  now: Date,
): (QuietWait & { readonly delayMs: number }) | undefined {
  if (!quietHours || priority === 'urgent') return undefined;
  const plannedAt = new Date(Math.max(dueAt.getTime() + waveOffsetMs, now.getTime()));
  const fallbackZone = sender.device.systemInfo?.timezone;
  const candidate = { number, fallbackZone, dueAt: plannedAt, groupStart };
  const wait = quietWait(quietHours, candidate, plannedAt);
  return wait && { ...wait, delayMs: wait.until.getTime() - plannedAt.getTime() };
}
