import '@mantine/dates/styles.css';
import 'dayjs/locale/de';
import 'dayjs/locale/es';
import { DatePickerInput, DatesProvider } from '@mantine/dates';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useTimeZone } from '../../preferences/time-zone';
import { dayIn, dayOf, endOfDay, presetDays, startOfDay } from './days';
import type { Filters } from './filters';

type Days = [string | null, string | null];

/** The days of a list, whole days of the chosen time zone. */
export default function DateRange(props: {
  readonly filters: Filters;
  readonly onChange: (change: Filters) => void;
}) {
  const { t, i18n } = useTranslation();
  const [timeZone] = useTimeZone();
  const { from, to } = props.filters;
  const lastInstant = to && new Date(Date.parse(to) - 1);
  const lastDay = lastInstant && !Number.isNaN(lastInstant.getTime()) ? lastInstant.toISOString() : undefined;
  const [today] = useState(() => dayIn(timeZone, Date.now()));
  const [days, setDays] = useState<Days>([dayOf(from, timeZone) ?? null, dayOf(lastDay, timeZone) ?? null]);
  const choose = ([first, last]: Days) => {
    setDays([first, last]);
    if (first && !last) return;
    props.onChange({
      from: first ? startOfDay(first, timeZone) : undefined,
      to: last ? endOfDay(last, timeZone) : undefined,
    });
  };
  return (
    <DatesProvider settings={{ locale: i18n.language, firstDayOfWeek: i18n.language === 'en' ? 0 : 1 }}>
      <DatePickerInput
        type="range"
        label={t('messages.filters.days')}
        description={timeZone}
        placeholder={t('messages.filters.anyDay')}
        value={days}
        onChange={choose}
        allowSingleDateInRange
        clearable
        presets={presetDays(today).map(({ preset, days: value }) => ({
          value,
          label: t(`messages.filters.presets.${preset}`),
        }))}
        popoverProps={{ withinPortal: false }}
      />
    </DatesProvider>
  );
}
