import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { failureText } from '../../components/failure-text';
import { localeOf } from '../../components/Time';
import { useTimeZone } from '../../preferences/time-zone';
import type { MessageState } from './message-state';

const UNITS = [
  ['days', 86_400_000],
  ['hours', 3_600_000],
  ['minutes', 60_000],
] as const;

const isSameDay = (format: Intl.DateTimeFormat, a: Date, b: Date) => format.format(a) === format.format(b);

/** The words of a list. Its formats are made once, because they are costly to make and a list has many rows. */
export function useTexts() {
  const { t, i18n } = useTranslation();
  const [timeZone] = useTimeZone();
  return useMemo(() => {
    const locale = localeOf(i18n.language);
    const clock = new Intl.DateTimeFormat(locale, { timeZone, timeStyle: 'short' });
    const day = new Intl.DateTimeFormat(locale, { timeZone, dateStyle: 'short' });
    const dayAndClock = new Intl.DateTimeFormat(locale, {
      timeZone,
      dateStyle: 'medium',
      timeStyle: 'short',
    });
    const full = new Intl.DateTimeFormat(locale, { timeZone, dateStyle: 'full', timeStyle: 'medium' });

    /** The time alone today, else with its day. */
    const short = (time: string) => {
      const date = new Date(time);
      return (isSameDay(day, date, new Date()) ? clock : dayAndClock).format(date);
    };
    const duration = (ms: number) => {
      const [unit, size] = UNITS.find(([, each]) => ms >= each) ?? UNITS[2];
      return t(`messages.duration.${unit}`, { count: Math.max(1, Math.floor(ms / size)) });
    };
    const state = (of: MessageState): string => {
      switch (of.kind) {
        case 'failed':
          return failureText(t, of.failure);
        case 'waits': {
          const why = t(`waits.${of.reason}`);
          return of.until ? t('messages.state.waitsUntil', { why, time: short(of.until) }) : why;
        }
        case 'due':
          return t('messages.state.due', { time: short(of.at) });
        case 'unanswered':
        case 'unreported':
          return t(`messages.state.${of.kind}`, { duration: duration(of.forMs) });
        case 'delivered':
          return [
            ...(of.sentAt ? [t('messages.state.sentAt', { time: short(of.sentAt) })] : []),
            of.at ? t('messages.state.deliveredAt', { time: short(of.at) }) : t('messages.state.delivered'),
          ].join(' · ');
        case 'handedOver':
        case 'sent':
        case 'received':
        case 'cancelled':
        case 'suppressed':
          return of.at
            ? t(`messages.state.${of.kind}At`, { time: short(of.at) })
            : t(`messages.state.${of.kind}`);
        case 'leaving':
        case 'unknown':
          return t(`messages.state.${of.kind}`);
      }
    };
    return { t, short, state, long: (time: string) => `${full.format(new Date(time))} (${timeZone})` };
  }, [t, i18n.language, timeZone]);
}

export type Texts = ReturnType<typeof useTexts>;
