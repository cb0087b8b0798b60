import { Anchor, Button, Group, Stack, Table, Text } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import {
  deleteApiKeyMutation,
  listDevicesOptions,
  revokeApiKeyMutation,
} from '../../../generated/@tanstack/react-query.gen';
import type { ApiKeyResponse } from '../../../generated/types.gen';
import { useReadAgain } from '../../api/read-again';
import { ConfirmByName } from '../../components/ConfirmByName';
import { showSuccess } from '../../components/notify';
import { Time, useTimeFormat } from '../../components/Time';
import { KeyName } from './KeyName';
import { KindBadge } from './KindBadge';

export function ApiKeyTable({ keys }: { readonly keys: readonly ApiKeyResponse[] }) {
  const { t } = useTranslation();
  const [removing, setRemoving] = useState<ApiKeyResponse>();
  const isRevoked = keys.some(({ status }) => status === 'revoked');
  return (
    <>
      <Table verticalSpacing="sm" aria-label={t('apiKeys.listLabel')} layout="auto">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{t('apiKeys.name')}</Table.Th>
            <Table.Th visibleFrom="sm">{t('apiKeys.kindColumn')}</Table.Th>
            <Table.Th visibleFrom="sm" miw={170}>
              {t('apiKeys.lastUsed')}
            </Table.Th>
            <Table.Th visibleFrom="md">{t('apiKeys.phone')}</Table.Th>
            <Table.Th visibleFrom="lg">{t(isRevoked ? 'apiKeys.revokedAt' : 'apiKeys.created')}</Table.Th>
            <Table.Td />
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {keys.map((key) => (
            <KeyRow key={key._id} apiKey={key} onRemove={() => setRemoving(key)} />
          ))}
        </Table.Tbody>
      </Table>
      {removing && <RemoveKey apiKey={removing} onClose={() => setRemoving(undefined)} />}
    </>
  );
}

function KeyRow({ apiKey, onRemove }: { readonly apiKey: ApiKeyResponse; readonly onRemove: () => void }) {
  const { t } = useTranslation();
  const action = apiKey.status === 'active' ? 'revoke' : 'remove';
  return (
    <Table.Tr>
      <Table.Td>
        <KeyName apiKey={apiKey} />
        <Group gap={6}>
          <Text size="xs" c="dimmed" ff="monospace">
            {apiKey.apiKey}
          </Text>
          <Text component="span" hiddenFrom="sm">
            <KindBadge kind={apiKey.kind} />
          </Text>
        </Group>
        <Text component="div" size="xs" c="dimmed" hiddenFrom="sm">
          <LastUse apiKey={apiKey} />
        </Text>
      </Table.Td>
      <Table.Td visibleFrom="sm">
        <KindBadge kind={apiKey.kind} />
      </Table.Td>
      <Table.Td visibleFrom="sm">
        <LastUse apiKey={apiKey} />
      </Table.Td>
      <Table.Td visibleFrom="md" maw={220}>
        <KeyPhone apiKey={apiKey} />
      </Table.Td>
      <Table.Td visibleFrom="lg">
        <Time value={apiKey.revokedAt ?? apiKey.createdAt} />
      </Table.Td>
      <Table.Td ta="right">
        <Button
          size="compact-sm"
          variant="light"
          color="red"
          onClick={onRemove}
          aria-label={t(`apiKeys.${action}.label`, { name: apiKey.name })}
        >
          {t(`apiKeys.${action}.action`)}
        </Button>
      </Table.Td>
    </Table.Tr>
  );
}

function LastUse({ apiKey: { lastUsedAt, lastUsedFrom } }: { readonly apiKey: ApiKeyResponse }) {
  const { t } = useTranslation();
  if (!lastUsedAt) return <Muted>{t('apiKeys.neverUsed')}</Muted>;
  return (
    <Stack gap={0}>
      <Text component="div" size="sm" c="inherit">
        <Time value={lastUsedAt} />
      </Text>
      {lastUsedFrom && <Muted>{t('apiKeys.from', { address: lastUsedFrom })}</Muted>}
    </Stack>
  );
}

function KeyPhone({ apiKey: { kind, deviceId, expiresAt } }: { readonly apiKey: ApiKeyResponse }) {
  const { t } = useTranslation();
  const { short } = useTimeFormat();
  const devices = useQuery({ ...listDevicesOptions(), enabled: deviceId !== undefined });
  if (kind === 'full') return null;
  const device = devices.data?.data.find(({ _id }) => _id === deviceId);
  return (
    <Stack gap={0}>
      {device && (
        <Anchor component={Link} to={`/phones/${device._id}`} size="sm" className="outside-text">
          {device.name ?? `${device.brand} ${device.model}`}
        </Anchor>
      )}
      {deviceId && devices.data && !device && <Muted>{t('apiKeys.deletedPhone')}</Muted>}
      {expiresAt && <Muted>{t('apiKeys.waitsForPhone', { time: short(expiresAt) })}</Muted>}
    </Stack>
  );
}

const Muted = ({ children }: { readonly children: ReactNode }) => (
  <Text component="div" size="xs" c="dimmed" className="outside-text numeric">
    {children}
  </Text>
);

/** Revokes an active key, and deletes a revoked one; neither can be undone. */
function RemoveKey({ apiKey, onClose }: { readonly apiKey: ApiKeyResponse; readonly onClose: () => void }) {
  const { t } = useTranslation();
  const refresh = useReadAgain('apiKey');
  const { _id, name, kind, status } = apiKey;
  const action = status === 'active' ? 'revoke' : 'remove';
  const shared = {
    meta: { showsErrors: true },
    onSuccess: async () => {
      showSuccess(t(`apiKeys.${action}.done`, { name }));
      onClose();
      await refresh();
    },
  };
  const revoke = useMutation({ ...revokeApiKeyMutation(), ...shared });
  const remove = useMutation({ ...deleteApiKeyMutation(), ...shared });
  const { isPending, error } = action === 'revoke' ? revoke : remove;
  const path = { id: _id };
  return (
    <ConfirmByName
      title={t(`apiKeys.${action}.title`, { name })}
      text={t(
        action === 'revoke' && kind === 'phone' ? 'apiKeys.revoke.textPhone' : `apiKeys.${action}.text`,
      )}
      name={name}
      submit={t(`apiKeys.${action}.submit`)}
      isPending={isPending}
      error={error}
      onConfirm={() => (action === 'revoke' ? revoke.mutate({ path }) : remove.mutate({ path }))}
      onClose={onClose}
    />
  );
}
