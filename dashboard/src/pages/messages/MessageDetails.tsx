import { Anchor, DataList, Group, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { MessageResponse } from '../../../generated';
import { getPoolOptions } from '../../../generated/@tanstack/react-query.gen';
import { useSenders } from '../../api/senders';
import { CopyButton } from '../../components/CopyButton';
import { messagePhone } from '../../components/message-phone';
import { Time } from '../../components/Time';
import { numberOf } from './message-state';

/** Where a message went out or came in, and what it belongs to, with links. */
export function MessageDetails({ message }: { readonly message: MessageResponse }) {
  const { t } = useTranslation();
  const { _id: id, device, smsBatch, simSubscriptionId, pool: poolId } = message;
  const { findSim, simName } = useSenders();
  const sim = findSim({ sim: message.sim, device: device._id, simSubscriptionId });
  const simId = message.sim ?? sim?._id;
  const pool = useQuery({ ...getPoolOptions({ path: { id: poolId ?? '' } }), enabled: poolId !== undefined });
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
          {device.deletedAt === undefined ? (
            <Anchor component={Link} to={`/phones/${device._id}`} inherit className="outside-text">
              {messagePhone(t, device)}
            </Anchor>
          ) : (
            <span className="outside-text">{messagePhone(t, device)}</span>
          )}
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
              {sim ? simName(sim) : simId}
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
        {t('messages.parts', { count: segments })} · {t('messages.characters', { characters })}
      </span>
      {encoding === 'UCS-2' && (
        <Text size="xs" c="dimmed">
          {t('messages.shortParts')}
        </Text>
      )}
    </Detail>
  );
}
