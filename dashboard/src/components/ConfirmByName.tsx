import { Alert, Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { errorText } from './notify';

/** Asks to type the name of what is about to be lost for good. */
export function ConfirmByName(props: {
  readonly title: string;
  readonly text: string;
  readonly name: string;
  readonly submit: string;
  readonly isPending: boolean;
  readonly error: unknown;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
}) {
  const { t } = useTranslation();
  const [typed, setTyped] = useState('');
  const { name } = props;
  return (
    <Modal opened onClose={props.onClose} title={<span className="outside-text">{props.title}</span>}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          props.onConfirm();
        }}
      >
        <Stack>
          <Text size="sm">{props.text}</Text>
          <TextInput
            label={t('common.typeToConfirm', { name })}
            labelProps={{ className: 'outside-text' }}
            value={typed}
            autoComplete="off"
            data-autofocus
            onChange={({ currentTarget }) => setTyped(currentTarget.value)}
          />
          {props.error !== null && (
            <Alert color="red" role="alert" className="outside-text">
              {errorText(props.error)}
            </Alert>
          )}
          <Group justify="flex-end">
            <Button variant="default" onClick={props.onClose}>
              {t('common.cancel')}
            </Button>
            <Button
              type="submit"
              color="red"
              loading={props.isPending}
              disabled={typed.trim() !== name.trim()}
            >
              {props.submit}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
