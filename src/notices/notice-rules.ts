import { DAY_MS, MINUTE_MS } from '../common/durations';
import type { AccountNotices } from './account-notices.schema';
import type { Notice } from './notice.schema';
import { DEFAULT_NOTICE_SETTINGS, type NoticeSettings } from './notice-topic';

/** A phone that is back and an occurrence that repeats within this time are no news. */
export const FLAPPING_MS = 10 * MINUTE_MS;

/** Between two mails to an account: what happens meanwhile is in the next one. */
const MAIL_INTERVAL_MS = 10 * MINUTE_MS;
export const MAX_MAILS_PER_DAY = 20;

/** A mail that could not be sent for so long is given up. */
export const GIVE_UP_AFTER_MS = DAY_MS;
const MAX_RETRY_DELAY_MS = 60 * MINUTE_MS;

export const settingsOf = ({ settings }: Pick<AccountNotices, 'settings'>): NoticeSettings => ({
  ...DEFAULT_NOTICE_SETTINGS,
  ...settings,
});

/** When the owner is told, unless the state changes before. */
export function tellAt(
  { topic, at, since = at }: Pick<Notice, 'topic' | 'at' | 'since'>,
  { offlineAfterMinutes }: NoticeSettings,
): Date {
  if (topic === 'phoneBack') return new Date(at.getTime() + FLAPPING_MS);
  return topic === 'phoneOffline' ? new Date(since.getTime() + offlineAfterMinutes * MINUTE_MS) : at;
}

/** The earliest time for another mail to the account. */
export function nextMailAt(
  { outgoing, attemptDueAt, lastMail, composed }: Omit<AccountNotices, '_id' | 'user'>,
  now: Date,
): Date {
  const times = [now.getTime()];
  if (outgoing) times.push((attemptDueAt ?? now).getTime() + MINUTE_MS);
  if (lastMail) times.push(lastMail.at.getTime() + MAIL_INTERVAL_MS);
  if (mailsOn(composed, now) >= MAX_MAILS_PER_DAY) times.push(startOfNextDay(now));
  return new Date(Math.max(...times));
}

export const dayOf = (time: Date): string => time.toISOString().slice(0, 10);

/** Mails composed on the UTC day of `now`. */
export const mailsOn = (composed: AccountNotices['composed'], now: Date): number =>
  composed?.day === dayOf(now) ? composed.count : 0;

/** After the attempts so far: 1, 2, 4 minutes and so on, an hour at most. */
export const retryDelayMs = (attempts: number): number =>
  Math.min(MAX_RETRY_DELAY_MS, MINUTE_MS * 2 ** Math.min(10, attempts - 1));

const startOfNextDay = (now: Date): number => (Math.floor(now.getTime() / DAY_MS) + 1) * DAY_MS;
