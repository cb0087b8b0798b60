import { Button, Card, Group, List, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { listMessagesOptions } from '../../../generated/@tanstack/react-query.gen';
import { countMessages, type Device, type Queue } from '../../components/phones/phone';
import { Time } from '../../components/Time';
import { usePhoneChanges } from './actions/use-phone-changes';

/** What a phone that takes no new messages still has to do. */
export function DrainPanel(props: {
  readonly device: Device;
  readonly entries: Queue['sims'];
  readonly isDrained: boolean;
}) {
  const { t } = useTranslation();
  const { device, entries, isDrained } = props;
  const { endDrain } = usePhoneChanges(device);
  const query = { deviceIds: device._id, status: 'dispatched', limit: 1 } as const;
  const unreported = useQuery(listMessagesOptions({ query })).data?.meta.total ?? 0;
  return (
    <Card component="section" aria-label={t('phones.drain.title')}>
      <Group justify="space-between" mb="xs">
        <Title order={2}>{t('phones.drain.title')}</Title>
        <Button size="xs" variant="default" onClick={() => void endDrain()}>
          {t('phones.drain.end')}
        </Button>
      </Group>
      <Text size="sm" c="dimmed" mb="sm">
        {t('phones.drain.explanation')} {t('phones.since')} <Time value={device.drainingSince} />
      </Text>
      <div role="status">
        {isDrained ? (
          <Text fw={600}>{t('phones.drain.done')}</Text>
        ) : (
          <List size="sm" className="numeric">
            <List.Item>{t('phones.drain.remaining', { count: countMessages(entries) })}</List.Item>
            <List.Item>{t('phones.drain.unreported', { count: unreported })}</List.Item>
          </List>
        )}
      </div>
    </Card>
  );
}
