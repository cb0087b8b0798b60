import { Group, Select, Text, TextInput } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { TIME_ZONES } from '../../preferences/time-zone';
import { instantOf } from '../../preferences/zoned-time';

/** A time on the clocks of a zone, and what it is in words. */
export function ScheduleFields(props: {
  /** `YYYY-MM-DDTHH:mm` */
  readonly clock: string;
  readonly zone: string;
  readonly onClock: (clock: string) => void;
  readonly onZone: (zone: string) => void;
  readonly error?: string;
}) {
  const { t, i18n } = useTranslation();
  const { clock, zone } = props;
  const instant = instantOf(clock, zone);
  const inZone = (timeZone: string) =>
    instant &&
    new Intl.DateTimeFormat(i18n.language, { timeZone, dateStyle: 'full', timeStyle: 'short' }).format(
      instant,
    );
  return (
    <div>
      <Group grow align="flex-start" preventGrowOverflow={false}>
        <TextInput
          type="datetime-local"
          label={t('send.date')}
          value={clock}
          onChange={(event) => props.onClock(event.currentTarget.value)}
          error={props.error}
          required
        />
        <Select
          label={t('send.zone')}
          data={TIME_ZONES as string[]}
          value={zone}
          onChange={(value) => value && props.onZone(value)}
          searchable
          allowDeselect={false}
        />
      </Group>
      <Text size="sm" c="dimmed" mt={4} role="status">
        {instant
          ? t(zone === 'UTC' ? 'send.goesOutAtUtc' : 'send.goesOutAt', {
              local: inZone(zone),
              zone,
              utc: inZone('UTC'),
            })
          : t('send.chooseTime')}
      </Text>
    </div>
  );
}
