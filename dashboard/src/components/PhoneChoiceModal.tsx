import { Alert, Button, Group, Modal, Select, Stack, Text } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useSenders } from '../api/senders';
import { errorText } from './notify';

/** Asks for another phone of the account that can take messages. */
export function PhoneChoiceModal(props: {
  readonly title: string;
  readonly text: ReactNode;
  /** The phone that is not offered. */
  readonly except?: string | undefined;
  readonly submit: string;
  readonly color?: string;
  readonly choice: {
    readonly isPending: boolean;
    readonly error: unknown;
    readonly mutate: (phone: string) => void;
  };
  readonly onClose: () => void;
}) {
  const { t } = useTranslation();
  const { devices, isLoaded, phoneName } = useSenders();
  const [phone, setPhone] = useState<string | null>(null);
  const others = devices.filter(
    ({ _id, enabled, drainingSince }) => _id !== props.except && enabled && !drainingSince,
  );
  return (
    <Modal opened onClose={props.onClose} title={<span className="outside-text">{props.title}</span>}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (phone) props.choice.mutate(phone);
        }}
      >
        <Stack>
          <Text size="sm">{props.text}</Text>
          {isLoaded && others.length === 0 ? (
            <Alert color="yellow">{t('common.otherPhone.none')}</Alert>
          ) : (
            <Select
              data-autofocus
              label={t('common.otherPhone.label')}
              placeholder={t('common.otherPhone.placeholder')}
              data={others.map(({ _id }) => ({ value: _id, label: phoneName(_id) ?? _id }))}
              value={phone}
              onChange={setPhone}
              allowDeselect={false}
              searchable={others.length > 8}
            />
          )}
          {props.choice.error !== null && (
            <Alert color="red" role="alert">
              {errorText(props.choice.error)}
            </Alert>
          )}
          <Group justify="flex-end">
            <Button variant="default" onClick={props.onClose}>
              {t('common.cancel')}
            </Button>
            <Button
              type="submit"
              disabled={!phone}
              loading={props.choice.isPending}
              {...(props.color && { color: props.color })}
            >
              {props.submit}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
