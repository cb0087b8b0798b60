import { Input, SegmentedControl, Select, SimpleGrid, Stack, Text, TextInput } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { localeOf } from '../../components/Time';
import { TIME_ZONES } from '../../preferences/time-zone';
import { clockAt, instantOf } from '../../preferences/zoned-time';
import type { SendValues } from './send-values';

/** Now, or at a time on the clocks of a zone. */
export function WhenFields(props: {
  readonly values: Pick<SendValues, 'isLater' | 'clock' | 'zone'>;
  readonly onChange: (changed: Partial<SendValues>) => void;
  readonly error: string | undefined;
}) {
  const { t } = useTranslation();
  const { values, onChange, error } = props;
  return (
    <Stack gap="xs">
      <Input.Wrapper label={t('send.when')} labelElement="div" error={values.isLater ? undefined : error}>
        <div>
          <SegmentedControl
            aria-label={t('send.when')}
            value={values.isLater ? 'later' : 'now'}
            onChange={(value) =>
              onChange({
                isLater: value === 'later',
                ...(values.clock === '' && { clock: clockAt(nextHour(), values.zone) }),
              })
            }
            data={[
              { value: 'now', label: t('send.now') },
              { value: 'later', label: t('send.later') },
            ]}
          />
        </div>
      </Input.Wrapper>
      {values.isLater && (
        <>
          <SimpleGrid cols={{ base: 1, xs: 2 }}>
            <TextInput
              type="datetime-local"
              label={t('send.date')}
              value={values.clock}
              min={clockAt(new Date(), values.zone)}
              onChange={(event) => onChange({ clock: event.currentTarget.value })}
              error={values.clock === '' ? error && t('send.chooseTime') : error}
              required
            />
            <Select
              label={t('send.zone')}
              data={TIME_ZONES}
              value={values.zone}
              onChange={(zone) => zone && onChange({ zone })}
              allowDeselect={false}
              searchable
            />
          </SimpleGrid>
          <GoesOutAt clock={values.clock} zone={values.zone} />
        </>
      )}
    </Stack>
  );
}

const HOUR_MS = 3_600_000;

/** The hour after the next full one: there is time to finish the form. */
const nextHour = () => new Date((Math.floor(Date.now() / HOUR_MS) + 2) * HOUR_MS);

function GoesOutAt({ clock, zone }: Pick<SendValues, 'clock' | 'zone'>) {
  const { t, i18n } = useTranslation();
  const instant = instantOf(clock, zone);
  const format = (timeZone: string, options: Intl.DateTimeFormatOptions) =>
    instant && new Intl.DateTimeFormat(localeOf(i18n.language), { timeZone, ...options }).format(instant);
  const isSameDay = instant?.toISOString().startsWith(clockAt(instant, zone).slice(0, 10));
  return (
    <Text size="sm" role="status" c={instant ? undefined : 'dimmed'}>
      {instant
        ? t(zone === 'UTC' ? 'send.goesOutAtUtc' : 'send.goesOutAt', {
            local: format(zone, { dateStyle: 'full', timeStyle: 'short' }),
            zone,
            utc: format('UTC', { timeStyle: 'short', ...(!isSameDay && { dateStyle: 'medium' }) }),
          })
        : t('send.chooseTime')}
    </Text>
  );
}
