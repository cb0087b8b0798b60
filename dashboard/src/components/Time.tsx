import { Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { useTimeZone } from '../preferences/time-zone';

/** A moment in the chosen time zone, whose name is in the title with the seconds. */
export function Time({
  value,
  withDate = true,
  withSeconds = false,
  zone,
}: {
  readonly value: string | undefined | null;
  readonly withDate?: boolean;
  readonly withSeconds?: boolean;
  /** Instead of the preferred one. */
  readonly zone?: string;
}) {
  const { short, long } = useTimeFormat(zone);
  if (!value) return null;
  return (
    <Text
      component="time"
      dateTime={value}
      title={long(value)}
      inherit
      className="numeric"
      style={{ whiteSpace: 'nowrap' }}
    >
      {short(value, withDate, withSeconds)}
    </Text>
  );
}

/** The language with the region of the browser, which decides between 13:00 and 1 PM. */
export const localeOf = (language: string): string =>
  navigator.languages.find((tag) => tag.startsWith(language)) ?? language;

/** Formats times in the chosen language and time zone. @param zone instead of the preferred one. */
export function useTimeFormat(zone?: string) {
  const { i18n } = useTranslation();
  const [preferredZone] = useTimeZone();
  const timeZone = zone ?? preferredZone;
  const locale = localeOf(i18n.language);
  return {
    timeZone,
    short: (value: string | Date, withDate = true, withSeconds = false) =>
      new Intl.DateTimeFormat(locale, {
        timeZone,
        timeStyle: withSeconds ? 'medium' : 'short',
        ...(withDate && { dateStyle: 'medium' }),
      })
        .format(new Date(value))
        // It stays on one line within a sentence, too.
        .replaceAll(' ', '\u00a0'),
    long: (value: string | Date) =>
      `${new Intl.DateTimeFormat(locale, { timeZone, dateStyle: 'full', timeStyle: 'medium' }).format(new Date(value))} (${timeZone})`,
  };
}

const UNITS = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
] as const;

/** Formats the time between now and a moment, such as `2 minutes ago`. */
export function useRelativeTime() {
  const { i18n } = useTranslation();
  const format = new Intl.RelativeTimeFormat(localeOf(i18n.language), { numeric: 'auto' });
  return (value: string | Date, now = Date.now()) => {
    const seconds = (new Date(value).getTime() - now) / 1_000;
    const [unit, size] = UNITS.find(([, each]) => Math.abs(seconds) >= each) ?? UNITS[3];
    return format.format(Math.round(seconds / size), unit);
  };
}
