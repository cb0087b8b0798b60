import { Alert, Button, Code, Group, Modal, Radio, Select, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { IconAlertTriangle } from '@tabler/icons-react';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { createApiKeyMutation, listDevicesOptions } from '../../../generated/@tanstack/react-query.gen';
import { serviceUrl } from '../../api/base-path';
import { fieldErrors } from '../../api/field-errors';
import { useReadAgain } from '../../api/read-again';
import { CopyButton } from '../../components/CopyButton';
import { errorText } from '../../components/notify';
import { QrCode } from '../../components/QrCode';
import { type KeyKind, KINDS } from './KindBadge';

/** Creates a key, and shows it once. */
export function CreateKeyModal({ onClose }: { readonly onClose: () => void }) {
  const { t } = useTranslation();
  const refresh = useReadAgain('apiKey');
  const create = useMutation({
    ...createApiKeyMutation(),
    // The key is gone with the modal.
    gcTime: 0,
    meta: { showsErrors: true },
    onSuccess: refresh,
  });
  const key = create.data?.data;
  const kind = create.variables?.body.kind ?? 'full';
  return (
    <Modal
      opened
      onClose={onClose}
      title={t(key ? 'apiKeys.made.title' : 'apiKeys.form.title')}
      closeOnClickOutside={false}
      closeOnEscape={!key}
      withCloseButton={!key}
    >
      {key ? (
        <MadeKey value={key} kind={kind} onClose={onClose} />
      ) : (
        <KeyForm
          error={create.error}
          isPending={create.isPending}
          onSubmit={(body) => create.mutate({ body })}
          onClose={onClose}
        />
      )}
    </Modal>
  );
}

interface NewKey {
  readonly name?: string;
  readonly kind: KeyKind;
  readonly deviceId?: string;
}

function KeyForm(props: {
  readonly error: unknown;
  readonly isPending: boolean;
  readonly onSubmit: (key: NewKey) => void;
  readonly onClose: () => void;
}) {
  const { t } = useTranslation();
  const form = useForm({ initialValues: { name: '', kind: 'full', deviceId: '' } });
  const kind = KINDS.find((each) => each === form.values.kind) ?? 'full';
  const devices = useQuery({ ...listDevicesOptions(), enabled: kind === 'phone' });
  const errors = fieldErrors(props.error);
  const submit = form.onSubmit(({ name, deviceId }) =>
    props.onSubmit({
      kind,
      ...(name.trim() && { name: name.trim() }),
      ...(kind === 'phone' && deviceId && { deviceId }),
    }),
  );
  const phones = (devices.data?.data ?? []).map(({ _id, name, brand, model }) => ({
    value: _id,
    label: name ?? `${brand} ${model}`,
  }));
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        {props.error !== null && Object.keys(errors).length === 0 && (
          <Alert color="red" role="alert" className="outside-text">
            {errorText(props.error)}
          </Alert>
        )}
        <TextInput
          label={t('apiKeys.name')}
          description={t('apiKeys.form.nameHint')}
          maxLength={64}
          autoComplete="off"
          data-autofocus
          error={errors.name}
          {...form.getInputProps('name')}
        />
        <Radio.Group label={t('apiKeys.form.kind')} {...form.getInputProps('kind')}>
          <Stack gap="sm" mt="xs">
            {KINDS.map((each) => (
              <Radio
                key={each}
                value={each}
                label={t(`apiKeys.kind.${each}`)}
                description={t(`apiKeys.opens.${each}`)}
              />
            ))}
          </Stack>
        </Radio.Group>
        {kind === 'phone' && (
          <Select
            label={t('apiKeys.form.device')}
            description={t('apiKeys.form.deviceHint')}
            placeholder={t('apiKeys.form.anyPhone')}
            data={phones}
            clearable
            error={errors.deviceId}
            value={form.values.deviceId || null}
            onChange={(id) => form.setFieldValue('deviceId', id ?? '')}
          />
        )}
        <Group justify="flex-end">
          <Button variant="default" onClick={props.onClose}>
            {t('common.cancel')}
          </Button>
          <Button type="submit" loading={props.isPending}>
            {t('apiKeys.form.submit')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function MadeKey(props: { readonly value: string; readonly kind: KeyKind; readonly onClose: () => void }) {
  const { t } = useTranslation();
  const { value, kind } = props;
  const example = `curl -H 'x-api-key: ${value}' ${serviceUrl()}/api/v1/gateway/devices`;
  return (
    <Stack>
      <Alert color="yellow" icon={<IconAlertTriangle aria-hidden />} role="status">
        {t('apiKeys.made.once')}
      </Alert>
      <Copied label={t('apiKeys.made.key')} copy={t('apiKeys.made.copy')} value={value} />
      {kind === 'full' ? (
        <Copied label={t('apiKeys.made.example')} copy={t('apiKeys.made.copyExample')} value={example} />
      ) : (
        <Stack align="center" gap="xs">
          <QrCode value={value} label={t('apiKeys.made.code')} size={220} />
          <Text size="sm">{t('apiKeys.made.scan')}</Text>
        </Stack>
      )}
      <Group justify="flex-end">
        <Button onClick={props.onClose}>{t('apiKeys.made.close')}</Button>
      </Group>
    </Stack>
  );
}

function Copied({
  label,
  copy,
  value,
}: {
  readonly label: string;
  readonly copy: string;
  readonly value: string;
}) {
  return (
    <Stack gap={2}>
      <Text size="sm" fw={600}>
        {label}
      </Text>
      <Group gap="xs" wrap="nowrap">
        <Code block style={{ flex: 1, whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
          {value}
        </Code>
        <CopyButton value={value} label={copy} />
      </Group>
    </Stack>
  );
}
