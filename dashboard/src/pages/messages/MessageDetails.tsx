import { Anchor, DataList, Group, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { AccountSimResponse, MessageResponse } from '../../../generated';
import {
  getPoolOptions,
  getSimOptions,
  listDevicesOptions,
} from '../../../generated/@tanstack/react-query.gen';
import { CopyButton } from '../../components/CopyButton';
import { Time } from '../../components/Time';
import { phoneName } from './phone-name';
import { numberOf } from './message-state';

/** Where a message went out or came in, and what it belongs to, with links. */
export function MessageDetails({ message }: { readonly message: MessageResponse }) {
  const { t } = useTranslation();
  const { _id: id, device, smsBatch, sim: simId, pool: poolId } = message;
  const devices = useQuery(listDevicesOptions());
  const sim = useQuery({ ...getSimOptions({ path: { id: simId ?? '' } }), enabled: simId !== undefined });
  const pool = useQuery({ ...getPoolOptions({ path: { id: poolId ?? '' } }), enabled: poolId !== undefined });
  const phone = devices.data?.data.find(({ _id }) => _id === device._id) ?? device;
  const number = numberOf(message);
  return (
    <section aria-labelledby="details">
      <Title order={2} id="details" mb="md">
        {t('messages.details')}
      </Title>
      <DataList withDivider labelWidth="110px">
        <Detail label={t(message.direction === 'received' ? 'messages.from' : 'messages.to')}>
          <Group gap={4} wrap="nowrap">
            <bdi className="outside-text">{number}</bdi>
            <CopyButton value={number} label={t('messages.copyNumber')} />
          </Group>
        </Detail>
        <Detail label={t('messages.columns.phone')}>
          <Anchor component={Link} to={`/phones/${device._id}`} inherit className="outside-text">
            {phoneName(phone)}
          </Anchor>
        </Detail>
        {simId && (
          <Detail label={t('messages.sim')}>
            <Anchor
              inherit
              className="outside-text"
              renderRoot={(props) => (
                <Link to="/phones/$id" params={{ id: device._id }} search={{ sim: simId }} {...props} />
              )}
            >
              {simName(sim.data?.data) ?? simId}
            </Anchor>
          </Detail>
        )}
        {poolId && (
          <Detail label={t('messages.pool')}>
            <Anchor component={Link} to={`/pools/${poolId}`} inherit className="outside-text">
              {pool.data?.data.name ?? poolId}
            </Anchor>
          </Detail>
        )}
        {smsBatch && (
          <Detail label={t('messages.batch')}>
            <Group gap="xs">
              <Anchor
                inherit
                renderRoot={(props) => <Link to="/messages" search={{ smsBatchId: smsBatch }} {...props} />}
              >
                {t('messages.allOfBatch')}
              </Anchor>
              <Anchor component={Link} to={`/campaigns/${smsBatch}`} inherit>
                {t('messages.progress')}
              </Anchor>
            </Group>
          </Detail>
        )}
        <Size message={message} />
        {message.priority && (
          <Detail label={t('messages.priority')}>{t(`messages.priorities.${message.priority}`)}</Detail>
        )}
        {message.validUntil && (
          <Detail label={t('messages.validUntil')}>
            <Time value={message.validUntil} />
          </Detail>
        )}
        <Detail label={t('messages.id')}>
          <Group gap={4} wrap="nowrap">
            <Text span size="xs" ff="monospace" className="outside-text">
              {id}
            </Text>
            <CopyButton value={id} label={t('messages.copyId')} />
          </Group>
        </Detail>
      </DataList>
    </section>
  );
}

function Detail({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  return (
    <DataList.Item>
      <DataList.ItemLabel>{label}</DataList.ItemLabel>
      <DataList.ItemValue style={{ minWidth: 0 }}>{children}</DataList.ItemValue>
    </DataList.Item>
  );
}

function Size({ message }: { readonly message: MessageResponse }) {
  const { t, i18n } = useTranslation();
  const { segments, encoding, message: text = '' } = message;
  if (segments === undefined || encoding === undefined) return null;
  const characters = new Intl.NumberFormat(i18n.language).format(Array.from(text).length);
  return (
    <Detail label={t('messages.size')}>
      <span className="numeric">
        {t('messages.parts', { count: segments })} · {t('messages.characters', { characters })} · {encoding}
      </span>
      {encoding === 'UCS-2' && (
        <Text size="xs" c="dimmed">
          {t('messages.ucs2')}
        </Text>
      )}
    </Detail>
  );
}

const simName = (sim: AccountSimResponse | undefined): string | undefined =>
  sim && (sim.label ?? sim.carrierName ?? sim.phoneNumber);
